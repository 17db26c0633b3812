namespace Spate.Diagnostics;

/// <summary>
/// Lets one event per kind pass in 10 s and counts the others, so that a fault which repeats with every datagram cannot
/// flood a log.
/// </summary>
internal sealed class EventThrottle(TimeProvider time)
{
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private readonly Lock _lock = new();
    private readonly (long LastTimestamp, long Count)[] _kinds =
        new (long, long)[(int)EventKind.BufferRefused + 1];

    /// <summary>
    /// Counts an event, and returns whether to write it now. Then <paramref name="count"/> is the number of events of
    /// this kind since the last written event, this event included.
    /// </summary>
    public bool TryPass(EventKind kind, out long count)
    {
        lock (_lock)
        {
            ref (long LastTimestamp, long Count) entry = ref _kinds[(int)kind];
            bool first = entry.LastTimestamp == 0;
            count = ++entry.Count;
            if (!first && time.GetElapsedTime(entry.LastTimestamp) < Interval) return false;
            entry = (Math.Max(1, time.GetTimestamp()), 0);
            return true;
        }
    }
}
