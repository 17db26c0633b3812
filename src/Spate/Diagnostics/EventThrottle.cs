namespace Spate.Diagnostics;

/// <summary>
/// Lets one event per kind through in 10 s and counts the others, so that a fault per datagram cannot flood a log.
/// </summary>
internal sealed class EventThrottle(TimeProvider time)
{
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private readonly Lock _lock = new();
    private readonly (long LastTimestamp, long Count)[] _kinds =
        new (long, long)[(int)EventKind.BufferRefused + 1];

    /// <summary>True if the event is to be written, with how many it stands for.</summary>
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
