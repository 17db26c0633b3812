using System.Globalization;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Rounds;

/// <summary>What the rows of a bench tell of the datagrams that a machine can receive.</summary>
internal static class RoundsCapacity
{
    /// <summary>Many clients send no GSO messages, so a row that coalesces would promise too much.</summary>
    public static IReadOnlyList<string> RowNames { get; } = ["spate-portable", "spate-mmsg"];

    /// <summary>Reads the row whose size is nearest.</summary>
    public static CapacityReading Of(
        RoundsReport report, IEnumerable<(string Name, MeasuredCapacity Capacity)> rows, int sizeBytes)
    {
        MeasuredCapacity? nearest = rows
            .Where(static row => RowNames.Contains(row.Name, StringComparer.Ordinal))
            .OrderBy(row => Math.Abs((long)row.Capacity.SizeBytes!.Value - sizeBytes))
            .ThenByDescending(static row => row.Name is "spate-mmsg")
            .FirstOrDefault().Capacity;
        if (nearest is null)
        {
            return CapacityReading.Refused(
                $"the report of kind {report.Kind} has no row of {string.Join(" or ", RowNames)}, of which a plan can "
                + "be made: measure with it");
        }

        return CapacityReading.Of(nearest with
        {
            Cpus = report.Cpus > 0 ? report.Cpus : null,
            Interrupted = report.Interrupted,
            Assumptions = [.. Assumptions(report), .. nearest.Assumptions],
        });
    }

    private static string[] Assumptions(RoundsReport report)
    {
        string[] all =
        [
            MeasuredCapacity.ReceivedOnly,
            "the CPU time is that of the receiving thread on the loopback; what the kernel does in soft interrupts "
                + "outside the thread, and for a card, comes on top",
        ];
        return report.Interrupted
            ? [.. all, $"the bench was interrupted after {RowText.Count(report.Rounds, "round")}"]
            : all;
    }
}
