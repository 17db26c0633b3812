namespace Spate;

/// <summary>
/// A snapshot of the counters of one socket since it was opened. Each counter is exact; a call that runs during the
/// snapshot may be in some counters and not yet in others. The datagrams of a coalesced buffer count one by one: a
/// buffer with 47 datagrams counts as 47.
/// </summary>
public readonly record struct UdpCounters
{
    /// <summary>Datagrams handed to the application; datagrams that still wait in the socket are not counted.</summary>
    public long DatagramsReceived { get; init; }

    /// <summary>Payload bytes of the received datagrams.</summary>
    public long BytesReceived { get; init; }

    /// <summary>Receive calls that took at least one datagram from the system.</summary>
    public long ReceiveCalls { get; init; }

    /// <summary>
    /// Buffers that the kernel returned: fewer than <see cref="DatagramsReceived"/> if the kernel coalesced datagrams.
    /// </summary>
    public long BuffersReceived { get; init; }

    /// <summary>
    /// Datagrams that were cut off because they were longer than the slot or buffer that received them.
    /// </summary>
    public long DatagramsTruncated { get; init; }

    /// <summary>
    /// Datagrams that the socket had taken from the system, but had not yet returned to a receive when it closed. These
    /// datagrams are lost, and are not part of <see cref="DatagramsReceived"/>. Such datagrams exist only if the socket
    /// coalesces, or uses Uring, Winsock or Rio, because more datagrams than a call returns are then taken from the
    /// system. The counter is 0 until the socket ends receiving. Datagrams that are still in the system's queue at the
    /// close are not counted.
    /// </summary>
    public long DatagramsUnread { get; init; }

    /// <summary>Datagrams that the system accepted for sending.</summary>
    public long DatagramsSent { get; init; }

    /// <summary>Payload bytes of the sent datagrams.</summary>
    public long BytesSent { get; init; }

    /// <summary>Calls that sent at least one datagram.</summary>
    public long SendCalls { get; init; }

    /// <summary>
    /// Messages handed to the kernel: fewer than <see cref="DatagramsSent"/> if GSO messages were sent.
    /// </summary>
    public long MessagesSent { get; init; }

    /// <summary>Datagrams that the system refused, each reported in a <see cref="SendResult"/>.</summary>
    public long DatagramsRefused { get; init; }

    /// <summary>
    /// How often a send or receive failed because the system had no memory or queue space (ENOBUFS, ENOMEM). The call
    /// was then retried after a short pause, unless it was not allowed to wait or its time was over.
    /// </summary>
    public long NoBufferEvents { get; init; }

    /// <summary>
    /// ICMP errors that the kernel reported to calls on this socket. Between two calls the kernel keeps only one error,
    /// so several errors between two calls count as one. With <see cref="UdpSocketOptions.ReportIcmpErrors"/>,
    /// <see cref="UdpSocket.TryReceiveIcmpError"/> reports each error.
    /// </summary>
    public long IcmpErrors { get; init; }

    /// <summary>
    /// Receives that failed with an error unknown to this library, and receives that failed many times in a row, for
    /// instance because a security module forbids them. The receive was retried after a pause.
    /// </summary>
    public long UnknownErrors { get; init; }

    /// <summary>
    /// GSO messages that a route refused and that were then sent as plain datagrams. After such a fallback the
    /// destination gets plain datagrams for ten minutes from the first refusal. If the error shows that the size was
    /// refused (EMSGSIZE, EINVAL), the fallback applies only to datagrams of this size or larger, otherwise to
    /// datagrams of every size. A GSO message is not counted here if its plain datagrams are refused too. Always 0 with
    /// Portable.
    /// </summary>
    public long GsoFallbacks { get; init; }

    /// <summary>
    /// Drops by the kernel because this socket's receive buffer was full (SO_MEMINFO), in the unit that
    /// <see cref="KernelDropUnit"/> names; null if the system does not report them. The kernel's counter wraps to 0
    /// after 2^32 drops. This counter does not wrap if the counters or the meter are read at least once per 2^32 drops
    /// (7 minutes at 10 million per second).
    /// </summary>
    public long? KernelDrops { get; init; }

    /// <summary>
    /// The unit of <see cref="KernelDrops"/>. On a coalescing socket the kernel counts a coalesced buffer as one drop.
    /// </summary>
    public UdpDropUnit KernelDropUnit { get; init; }
}
