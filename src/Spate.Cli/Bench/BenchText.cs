using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Sweep;
using Spate.Cli.Host;
using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Bench;

/// <summary>The parts of text that all benches share.</summary>
internal static class BenchText
{
    public const string Interruption = "interrupted: figures of the completed rounds";

    /// <summary>Writes the machine, the memory of the run, and whether it was interrupted or disturbed.</summary>
    public static void WriteHead(RoundsReport report, TerminalWriter writer)
    {
        writer.Line(
            $"{report.Kernel}, {report.Runtime}, {report.Cpus} CPUs, "
            + $"resident peak {report.ResidentPeakBytes >> 20} MiB");
        if (report.Interrupted) writer.Line(Interruption);
        LimitText.WriteWarning(report, writer);
    }

    /// <summary>
    /// Names the rows whose GSO messages the route refused: their figures are those of plain sends. The cause is a
    /// small path MTU that the kernel has learnt for the loopback (<c>ip route get 127.0.0.1</c>).
    /// </summary>
    public static void WriteGsoFallbacks(IEnumerable<(string Name, long GsoFallbacks)> rows, TerminalWriter writer)
    {
        foreach ((string name, long fallbacks) in rows.Where(static row => row.GsoFallbacks > 0))
        {
            writer.Line(
                $"{name}: GSO fallbacks: {fallbacks}, refused by the route; "
                    + "spate info shows the MTU");
        }
    }

    /// <summary>The CPU of a bench that runs on one thread.</summary>
    public static string CpuOf(RoundsReport report) =>
        report.Threads[0].Cpu is { } cpu ? $"CPU {cpu}" : "no CPU pinned";

    public static string Rounds(int count) => RowText.Count(count, "round");
}

/// <summary>Which CPU limits which rows of a bench: one line for all rows that one CPU limits.</summary>
internal static class LimitText
{
    private const string Work = "work";
    private const string Spin = "spin";
    private const string Other = "other program";

    /// <summary>Writes, above the tables, that figures are spoiled. <see cref="Write"/> names the rows.</summary>
    public static void WriteWarning(RoundsReport report, TerminalWriter writer)
    {
        int spoiled = report.Limits.Count(static one => one.LimitCause is Other);
        if (spoiled == 0) return;

        string rows = spoiled == report.Limits.Length ? "every row" : $"{spoiled} of {report.Limits.Length} rows";
        writer.Line($"another program distorted the figures of {rows}: stop it and repeat the bench");
    }

    /// <summary>Rows without a limit are not named, nor are those whose threads spin on purpose.</summary>
    public static void Write(RoundsReport report, bool showsAllCores, TerminalWriter writer)
    {
        // The table of a sweep has the limit of each row, and its text ends with what follows from them.
        IGrouping<(int?, string?), BenchRowLimit>[] groups = report is SweepReport ? [] :
        [
            .. report.Limits.Where(static one => one.LimitCause is not (null or Spin))
                .GroupBy(static one => (one.LimitCpu, one.LimitCause)),
        ];
        if (groups.Length > 0) writer.Line();
        foreach (IGrouping<(int?, string?), BenchRowLimit> group in groups)
        {
            writer.Line($"{LimitOf(group.First())} of {RowsOf([.. group], report)}");
        }

        if (!showsAllCores) return;

        foreach (BenchRowLimit limit in report.Limits.Where(static one => one.Cores.Length > 0))
        {
            writer.Line();
            writer.Line($"{NameOf(limit, report)}:");
            HostCpuText.WriteTable(limit.Cores, writer);
        }
    }

    private static string LimitOf(BenchRowLimit limit)
    {
        string cause = limit.LimitCause is { } name and not Work ? $" ({name})" : "";
        string[] roles = limit.Cores.FirstOrDefault(core => core.Cpu == limit.LimitCpu)?.Roles ?? [];
        string of = roles.Length > 0 ? $", where {string.Join(" and ", roles)} ran," : "";
        return limit.LimitCpu is { } cpu
            ? limit.LimitCause is Other
                ? $"CPU {cpu}{of} was shared with another program, which distorts the figures"
                : $"CPU {cpu}{of} is the limit{cause}"
            : $"the {limit.LimitCause} is the limit";
    }

    private static string RowsOf(BenchRowLimit[] limits, RoundsReport report) =>
        limits.Length == report.Limits.Length
            ? "every row"
            : string.Join(", ", limits.GroupBy(static one => one.Row, StringComparer.Ordinal).Select(
                row => row.Count() == report.Limits.Count(one => one.Row.Equals(row.Key, StringComparison.Ordinal))
                    ? row.Key
                    : string.Join(", ", row.Select(one => NameOf(one, report)))));

    private static string NameOf(BenchRowLimit limit, RoundsReport report) =>
        report.Limits.DistinctBy(static one => one.SizeBytes).Take(2).Count() > 1
            ? $"{limit.Row} at {limit.SizeBytes} bytes"
            : limit.Row;
}
