namespace Spate.Diagnostics;

/// <summary>
/// One socket in the meter. The reference to the socket is weak, so that a forgotten socket is collected and its
/// descriptor closed. The reference to the socket's counts is strong, so that the totals still include the counts of a
/// collected socket.
/// </summary>
internal sealed class MeterEntry(
    WeakReference<ICounterSource> socket, Func<UdpCounters> readCounts, NameCounts counts)
{
    public bool IsAlive => socket.TryGetTarget(out _);

    /// <summary>
    /// The totals of the closed sockets that have this socket's name. This socket's counts are added when it is closed.
    /// </summary>
    public NameCounts Counts => counts;

    /// <summary>Reads the socket's own counts. Does not ask the system for the kernel's drops.</summary>
    public UdpCounters ReadCounts() => readCounts();

    public UdpCounters Read() =>
        socket.TryGetTarget(out ICounterSource? source) ? source.GetCounters() : readCounts();
}
