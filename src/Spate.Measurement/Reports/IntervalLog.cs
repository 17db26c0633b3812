namespace Spate.Measurement.Reports;

/// <summary>The intervals of a run, which sum to its total.</summary>
internal sealed class IntervalLog
{
    // A run of days must not grow: the newest intervals are kept, a day of them at one a second.
    private const int MaxIntervals = 86_400;

    // Over less than this a rate says nothing.
    private const double ShortestSeconds = 0.05;

    private readonly Queue<IntervalReport> _intervals = new();
    private IntervalReport? _last;

    public void Add(IntervalReport interval)
    {
        if (_intervals.Count == MaxIntervals) _intervals.Dequeue();
        _intervals.Enqueue(interval);
        _last = interval;
    }

    /// <summary>
    /// Adds what came after the last interval: as one of its own, or to that one where it is too short.
    /// </summary>
    /// <returns>Whether it is one of its own.</returns>
    public bool AddRest(IntervalReport rest)
    {
        if (_last is null || rest.Seconds >= ShortestSeconds)
        {
            Add(rest);
            return true;
        }

        _last.Extend(rest);
        return false;
    }

    public IntervalReport[] ToArray() => [.. _intervals];
}
