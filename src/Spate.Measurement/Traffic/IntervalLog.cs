namespace Spate.Measurement.Traffic;

/// <summary>The intervals of a run, which sum to its total.</summary>
internal sealed class IntervalLog
{
    // Bounds the memory of a run that lasts for days: only the newest intervals are kept. With two CPUs and a thread
    // each, at one a second, these are the intervals of a day; the more of both, the fewer intervals.
    private const int MaxEntries = 4 * 86_400;

    private readonly Queue<IntervalReport> _intervals = new();
    private IntervalReport? _last;
    private int _entries;

    public void Add(IntervalReport interval)
    {
        _entries += EntriesOf(interval);
        while (_entries > MaxEntries && _intervals.Count > 0) _entries -= EntriesOf(_intervals.Dequeue());
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

    private static int EntriesOf(IntervalReport interval) => 1 + interval.Cores.Length + interval.Threads.Length;
}
