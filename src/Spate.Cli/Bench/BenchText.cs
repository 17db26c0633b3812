using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Bench;

/// <summary>The parts of text that all benches share.</summary>
internal static class BenchText
{
    public const string Interruption = "interrupted: the figures are those of the rounds that were complete";

    /// <summary>Writes the machine, the memory of the run, and whether it was interrupted or disturbed.</summary>
    public static void WriteHead(RoundsReport report, TerminalWriter writer)
    {
        writer.Line(
            $"{report.Kernel}, {report.Runtime}, {report.Cpus} CPUs, "
            + $"resident {report.ResidentPeakBytes >> 20} MiB at most");
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
                $"{name}: the route refused {fallbacks} GSO messages, which were sent plainly; "
                    + "spate info shows the MTU");
        }
    }

    /// <summary>The CPU of a bench that runs on one thread.</summary>
    public static string CpuOf(RoundsReport report) =>
        report.Threads[0].Cpu is { } cpu ? $"CPU {cpu}" : "no CPU pinned";

    public static string Rounds(int count) => count == 1 ? "1 round" : $"{count} rounds";

    /// <summary>The difference between the rounds in per cent. A single round has none.</summary>
    public static string Spread(double? percent, double[] samples) =>
        Units.Number(samples.Length > 1 ? percent : null, "0");
}
