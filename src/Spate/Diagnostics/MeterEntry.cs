namespace Spate.Diagnostics;

/// <summary>
/// One socket in the meter: the socket weakly, so that a forgotten one is collected and its descriptor closed; its
/// counts for good, so that the totals do not shrink.
/// </summary>
internal sealed class MeterEntry(
    WeakReference<ICounterSource> socket, Func<UdpCounters> readCounts, NameCounts counts)
{
    public bool IsAlive => socket.TryGetTarget(out _);

    /// <summary>Where the socket's counts go when it is closed: what the meter keeps under its name.</summary>
    public NameCounts Counts => counts;

    /// <summary>What the socket has counted itself, without asking the system for its drops.</summary>
    public UdpCounters ReadCounts() => readCounts();

    public UdpCounters Read() =>
        socket.TryGetTarget(out ICounterSource? source) ? source.GetCounters() : readCounts();
}
