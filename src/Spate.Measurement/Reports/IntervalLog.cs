namespace Spate.Measurement.Reports;

/// <summary>The intervals of a run, which sum to its total.</summary>
internal sealed class IntervalLog
{
    // Bounds the memory of a run that lasts for days: only the newest intervals are kept, at one a second those of a
    // day.
    private const int MaxIntervals = 86_400;

    private readonly Queue<IntervalReport> _intervals = new();
    private IntervalReport? _last;

    public void Add(IntervalReport interval)
    {
        if (_intervals.Count == MaxIntervals) _intervals.Dequeue();
        _intervals.Enqueue(interval);
        _last = interval;
    }

    /// <summary>
    /// Adds the rest of the run, which came after the last interval: as an interval of its own, or, if it is too short
    /// for that, to the last interval.
    /// </summary>
    /// <returns>Whether the rest became an interval of its own.</returns>
    public bool AddRest(IntervalReport rest)
    {
        if (_last is null || rest.Seconds >= IntervalReport.MinRateSeconds)
        {
            Add(rest);
            return true;
        }

        _last.Extend(rest);
        return false;
    }

    public IntervalReport[] ToArray() => [.. _intervals];
}
