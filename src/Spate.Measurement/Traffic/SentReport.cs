using Spate.Measurement.HostUse;

namespace Spate.Measurement.Traffic;

/// <summary>
/// Bounds what an end's report holds on its way to the other end: its course over time and its CPUs would grow with the
/// length of the test and with the host.
/// </summary>
internal static class SentReport
{
    /// <summary>The most intervals; neighbours are merged until there are no more.</summary>
    public const int MaxIntervals = 60;

    /// <summary>The most CPUs of an interval: those of the test first, then the busiest.</summary>
    public const int MaxIntervalCores = 8;

    /// <summary>The most threads of an interval; where there are more, the intervals hold none.</summary>
    public const int MaxIntervalThreads = 8;

    public const int MaxCores = 1024;

    /// <summary>Shortens both directions of a report. The intervals of the report are changed.</summary>
    public static TestEndReport Shorten(TestEndReport report) =>
        report with { Sent = Shorten(report.Sent), Received = Shorten(report.Received) };

    /// <summary>Merges neighbours, as many into each, so that at most <see cref="MaxIntervals"/> are left.</summary>
    public static IntervalReport[] Merge(IntervalReport[] intervals)
    {
        int perInterval = (intervals.Length + MaxIntervals - 1) / MaxIntervals;
        return [.. intervals.Chunk(Math.Max(1, perInterval)).Select(static neighbours =>
        {
            Array.ForEach(neighbours[1..], neighbours[0].Extend);
            return neighbours[0];
        })];
    }

    private static TrafficReport? Shorten(TrafficReport? report)
    {
        if (report is null) return null;

        IntervalReport[] intervals = Merge(report.Intervals);
        foreach (IntervalReport interval in intervals)
        {
            interval.Cores = CpuTotals.Choose(interval.Cores, MaxIntervalCores);
            if (interval.Threads.Length > MaxIntervalThreads) interval.Threads = [];
        }

        return report with { Intervals = intervals, Cores = CpuTotals.Choose(report.Cores, MaxCores) };
    }
}
