namespace Spate.Diagnostics;

/// <summary>
/// One socket in the meter: the socket weakly, so that a forgotten one is collected and its descriptor closed; its
/// counts for good, so that the totals do not shrink.
/// </summary>
internal sealed class MeterEntry(WeakReference<ICounterSource> socket, Func<UdpCounters> readCounts)
{
    public bool IsAlive => socket.TryGetTarget(out _);

    public UdpCounters Read() =>
        socket.TryGetTarget(out ICounterSource? source) ? source.GetCounters() : readCounts();
}
