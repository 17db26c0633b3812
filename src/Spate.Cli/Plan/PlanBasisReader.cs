using System.Diagnostics.CodeAnalysis;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Plan;

/// <summary>Reads from a report what a plan can stand on.</summary>
internal static class PlanBasisReader
{
    private const string Expected = "expected a report of receive, serve, test, bench or bench drain";

    // Beyond what any machine has, and small enough for every figure of a plan to be finite.
    private const double MinCapacityPerSecond = 1e-3;
    private const double MaxCapacityPerSecond = 1e12;
    private const double MaxCpuNanoseconds = 1e12;
    private const int MaxSizeBytes = 65_535;
    private const int MaxThreads = 1 << 16;

    /// <param name="report">One of <c>receive</c>, <c>serve</c>, <c>test</c>, <c>bench</c> or <c>drain</c>.</param>
    /// <param name="sizeBytes">The size of the plan: of several rows, the one with the nearest size counts.</param>
    public static bool TryRead(
        Report report,
        int sizeBytes,
        [NotNullWhen(true)] out MeasuredCapacity? basis,
        [NotNullWhen(false)] out string? error)
    {
        string what = report is TrafficReport ? "a sender's report" : $"a report of kind {report.Kind}";
        (basis, error) = report.ReadCapacity(sizeBytes)
            ?? CapacityReading.Refused($"{what} does not tell what a machine receives: {Expected}");
        if (basis is not null && !IsPossible(basis))
        {
            (basis, error) = CapacityReading.Refused(
                "it has figures that no machine can have (rate, loss, CPU time, size or threads): measure again");
        }

        error ??= basis is null ? Expected : null;
        return error is null;
    }

    private static bool IsPossible(MeasuredCapacity basis) =>
        basis.CapacityPerSecond is >= MinCapacityPerSecond and <= MaxCapacityPerSecond
        && basis.MeasuredPerSecond is null or (>= 0 and <= MaxCapacityPerSecond)
        && basis.LostPercent is null or (>= 0 and <= 100)
        && basis.CpuNanosecondsPerDatagram is null or (> 0 and <= MaxCpuNanoseconds)
        && basis.SizeBytes is null or (>= 0 and <= MaxSizeBytes)
        && basis.Threads is >= 1 and <= MaxThreads
        && basis.Cpus is null or (>= 1 and <= MaxThreads);
}
