namespace Spate.Diagnostics;

/// <summary>
/// One socket in the meter: the socket weakly, so that a forgotten one is collected and its descriptor closed; its
/// counts for good, so that the totals do not shrink.
/// </summary>
internal sealed class MeterEntry(
    WeakReference<ICounterSource> socket, Func<UdpCounters> readCounts, NameCounts counts)
{
    public bool IsAlive => socket.TryGetTarget(out _);

    /// <summary>The totals of the socket's name, to which its counts are added when the socket is closed.</summary>
    public NameCounts Counts => counts;

    /// <summary>The socket's own counts, without asking the system for its drops.</summary>
    public UdpCounters ReadCounts() => readCounts();

    public UdpCounters Read() =>
        socket.TryGetTarget(out ICounterSource? source) ? source.GetCounters() : readCounts();
}
