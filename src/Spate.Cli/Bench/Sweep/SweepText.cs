using Spate.Cli.Bench.Rounds;
using Spate.Cli.Comparison;
using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Bench.Sweep;

/// <summary>The tables of <c>--sweep cpu</c>, and its result in one sentence.</summary>
internal static class SweepText
{
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
        new("it is", Align.Left, 0, static line =>
            line.Row.Why is null ? line.Row.Verdict : $"{line.Row.Verdict}: {line.Row.Why}"));

    public static void Write(SweepReport report, TerminalWriter writer)
    {
        BenchText.WriteHead(report, writer);
        writer.Line($"{report.Bench}, {report.Row}, {report.SizeBytes} bytes: {report.Figure}; "
            + $"medians of {BenchText.Rounds(report.Rounds)}, and differences of their geometric means; "
            + $"{report.Seconds:0} s in all");
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
