using Spate.Cli.Bench.Rounds;
using Spate.Cli.Comparison;
using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Bench.Sweep;

/// <summary>The report of <c>--sweep cpu</c>: placements, and whether one is proven better than the default.</summary>
internal sealed record SweepReport : RoundsReport
{
    public const string KindName = "sweep";

    private static readonly Table<(SweepRow Row, BenchRowLimit? Limit)> Table = new(
        new("--cpu", Align.Left, 0, static line => line.Row.Cpu),
        new("placement", Align.Left, 2, static line => line.Row.Placement),
        new("median", Align.Right, 0, static line => CompareText.Value(line.Row.Median)),
        new("to default %", Align.Right, 1, static line => CompareText.Percent(line.Row.DifferencePercent)),
        new("95 % interval", Align.Right, 3, static line => line.Row.DifferencePercent is null
            ? Units.NotKnown
            : $"{CompareText.Percent(line.Row.LowPercent)} to {CompareText.Percent(line.Row.HighPercent)}"),
        new("rounds", Align.Right, 5, static line => Units.Count(line.Row.Samples.Length)),
        new("limit", Align.Left, 4, static line => LimitOf(line.Limit)),
        new("verdict", Align.Left, 0, static line =>
            line.Row.Why is null ? line.Row.Verdict : $"{line.Row.Verdict}: {line.Row.Why}"));

    public SweepReport() => Kind = KindName;

    /// <summary>The kind of the bench whose row was measured: <c>bench</c> or <c>drain</c>.</summary>
    public string Bench { get; set; } = "";

    /// <summary>For example <c>spate-mmsg-gso-gro</c>.</summary>
    public string Row { get; set; } = "";

    public int SizeBytes { get; set; }

    /// <summary>For example <c>datagramsPerSecond</c>.</summary>
    public string Figure { get; set; } = "";

    /// <summary>The placement that a bench takes without <c>--cpu</c>, for example <c>0,1</c>.</summary>
    public string Default { get; set; } = "";

    /// <summary>The placement that both runs prove better than the default; null where there is none.</summary>
    public string? Best { get; set; }

    /// <summary>The verdict, in one sentence.</summary>
    public string Conclusion { get; set; } = "";

    /// <summary>Those of the first run, the default first.</summary>
    public SweepRow[] Rows { get; set; } = [];

    /// <summary>The default and the best of the first run, measured again; empty where none was better.</summary>
    public SweepRow[] Repeated { get; set; } = [];

    /// <summary>Null where it has none.</summary>
    public BenchRowLimit? FindLimit(SweepRow row)
    {
        string name = SweepCell.NameOf(row.Cpu, Array.IndexOf(Repeated, row) >= 0);
        return Array.Find(Limits, one => one.Row.Equals(name, StringComparison.Ordinal));
    }

    /// <summary>Writes the tables, and the result in one sentence.</summary>
    public static void Write(SweepReport report, TerminalWriter writer)
    {
        BenchText.WriteHead(report, writer);
        writer.Line($"{report.Bench}, {report.Row}, {report.SizeBytes} bytes: {report.Figure}; "
            + $"medians of {BenchText.Rounds(report.Rounds)}, and differences of their geometric means; "
            + $"{report.Seconds:0} s in total");
        writer.Line();
        writer.Table(Table, report.Rows.Select(row => (row, report.FindLimit(row))));
        if (report.Repeated.Length > 0)
        {
            writer.Line();
            writer.Line("measured again");
            writer.Table(Table, report.Repeated.Select(row => (row, report.FindLimit(row))));
        }

        writer.Line();
        writer.Line(report.Conclusion);
    }

    private static string LimitOf(BenchRowLimit? limit) => limit switch
    {
        { LimitCpu: { } cpu } => $"CPU {cpu} ({limit.LimitCause})",
        { LimitCause: { } cause } => cause,
        { Limit: not null } => "none",
        _ => Units.NotKnown,
    };
}

/// <summary>One placement of a sweep, compared with the default.</summary>
internal sealed record SweepRow
{
    /// <summary>What stands in place of a verdict for the default.</summary>
    public const string Default = "the default";

    /// <summary>As <c>--cpu</c> takes them, for example <c>0,1</c>.</summary>
    public string Cpu { get; set; } = "";

    /// <summary>How these CPUs differ from the others that were tried.</summary>
    public string Placement { get; set; } = "";

    /// <summary>The median over the rounds, in the unit of <see cref="SweepReport.Figure"/>.</summary>
    public double Median { get; set; }

    public double[] Samples { get; set; } = [];

    /// <summary>By geometric means; null for the default, and where the value is not judged.</summary>
    public double? DifferencePercent { get; set; }

    /// <summary>The lower end of the 95 % interval of <see cref="DifferencePercent"/>; null where that is.</summary>
    public double? LowPercent { get; set; }

    /// <summary>The upper end of that interval.</summary>
    public double? HighPercent { get; set; }

    /// <summary><see cref="Default"/>, <c>Better</c>, <c>Worse</c>, <c>Unproven</c> or <c>Unjudged</c>.</summary>
    public string Verdict { get; set; } = Default;

    /// <summary>Why there is no verdict; null where there is one.</summary>
    public string? Why { get; set; }
}
