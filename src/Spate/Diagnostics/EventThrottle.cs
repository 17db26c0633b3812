namespace Spate.Diagnostics;

/// <summary>
/// Lets one event of a kind pass in 10 s and counts the others, so that a fault which repeats with every datagram
/// cannot flood a log. Each kind of event has a throttle of its own. Any thread may use it.
/// </summary>
internal sealed class EventThrottle(TimeProvider time)
{
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private long _lastTimestamp;
    private long _count;

    /// <summary>
    /// Counts an event, and returns whether to write it now. Then <paramref name="count"/> is the number of events
    /// since the last written event, this event included.
    /// </summary>
    public bool TryPass(out long count)
    {
        count = Interlocked.Increment(ref _count);
        long last = Volatile.Read(ref _lastTimestamp);
        if (last != 0 && time.GetElapsedTime(last) < Interval) return false;

        // Of several threads that find the time over, the exchange lets one pass.
        long now = Math.Max(1, time.GetTimestamp());
        if (Interlocked.CompareExchange(ref _lastTimestamp, now, last) != last) return false;
        count = Interlocked.Exchange(ref _count, 0);
        return true;
    }
}
