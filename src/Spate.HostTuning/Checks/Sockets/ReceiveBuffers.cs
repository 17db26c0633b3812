using Spate.HostTuning.Counters;

namespace Spate.HostTuning.Checks.Sockets;

/// <summary>
/// The kernel grants twice what a program asks for, at most twice the limit, and the default as it is (socket(7),
/// SO_RCVBUF). What root forces may be more.
/// </summary>
internal static class ReceiveBuffers
{
    public static long DropsAtLimit(HostReadings host, long limitBytes) =>
        host.SocketDrops.Where(one => IsAtLimit(one, limitBytes)).Sum(static one => one.Drops ?? 0);

    /// <summary>Of sockets that have the default, unless the limit allows no more.</summary>
    public static long DropsAtDefault(HostReadings host, long defaultBytes, long? limitBytes) =>
        host.SocketDrops.Where(one => one.ReceiveBufferBytes == defaultBytes && defaultBytes != 2 * limitBytes)
            .Sum(static one => one.Drops ?? 0);

    /// <summary>Datagrams, or coalesced buffers, that found a full buffer; null where unknown.</summary>
    public static long? Refused(HostReadings host) =>
        Sum(host.Growth.Udp4.RcvbufErrors, host.Growth.Udp6.RcvbufErrors);

    /// <summary>What is unknown counts as nothing; null where both are.</summary>
    public static long? Sum(long? left, long? right) =>
        left is null && right is null ? null : (left ?? 0) + (right ?? 0);

    private static bool IsAtLimit(UdpSocketCounters socket, long limitBytes) =>
        socket.ReceiveBufferBytes == 2 * limitBytes;
}
