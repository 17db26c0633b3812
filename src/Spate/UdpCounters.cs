namespace Spate;

/// <summary>
/// Counters of one socket since it was opened: a snapshot, exact per call. Coalesced buffers are split before counting,
/// so a coalesced buffer of 47 datagrams counts as 47.
/// </summary>
public readonly record struct UdpCounters
{
    /// <summary>Datagrams handed to the application; datagrams that still wait in the socket are not counted.</summary>
    public long DatagramsReceived { get; init; }

    /// <summary>Payload bytes of the received datagrams.</summary>
    public long BytesReceived { get; init; }

    /// <summary>Calls that returned at least one datagram.</summary>
    public long ReceiveCalls { get; init; }

    /// <summary>
    /// Buffers that the kernel handed over: fewer than <see cref="DatagramsReceived"/> if it coalesced.
    /// </summary>
    public long BuffersReceived { get; init; }

    /// <summary>Datagrams that were longer than their slot and were cut off.</summary>
    public long DatagramsTruncated { get; init; }

    /// <summary>
    /// Datagrams that the socket had taken from the system, but that nobody had received when the socket closed. They
    /// are lost, and not part of <see cref="DatagramsReceived"/>. They exist because a receive of a single datagram
    /// takes several at once from the system, if the socket coalesces or has a ring. 0 while the socket is open.
    /// Datagrams that are still in the system's queue at the close are not counted.
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
    /// How often a call met a system without memory or queue space (ENOBUFS, ENOMEM). The call was repeated a little
    /// later, unless it was not to wait or its time was over.
    /// </summary>
    public long NoBufferEvents { get; init; }

    /// <summary>
    /// ICMP errors that the kernel reported to calls on this socket. The kernel keeps one error between two calls, so
    /// errors that come together count once. With <see cref="UdpSocketOptions.IcmpErrors"/>,
    /// <see cref="UdpSocket.TryReceiveIcmpError"/> reports each error.
    /// </summary>
    public long IcmpErrors { get; init; }

    /// <summary>
    /// Receives that failed for a reason unknown to this library, or that failed again and again, for instance because
    /// a security module forbids them. The receive loop went on after a pause.
    /// </summary>
    public long UnknownErrors { get; init; }

    /// <summary>
    /// GSO messages that a route refused and that were then sent as plain datagrams. Each of these fallbacks means that
    /// the destination gets plain datagrams for ten minutes from the first refusal. This applies to every size, or to
    /// the refused size and larger if the system names the size as the reason (EMSGSIZE, EINVAL). GSO messages whose
    /// plain datagrams are refused too are not counted here. Mmsg and Uring; 0 elsewhere.
    /// </summary>
    public long GsoFallbacks { get; init; }

    /// <summary>
    /// Drops by the kernel because this socket's receive buffer was full (SO_MEMINFO), in the unit that
    /// <see cref="KernelDropUnit"/> names; -1 if the system does not report them. The kernel's counter returns to 0 at
    /// 2^32. This counter does not, if the counters or the meter are read at least once in 2^32 drops (7 minutes at 10
    /// million per second).
    /// </summary>
    public long KernelDrops { get; init; }

    /// <summary>
    /// The unit of <see cref="KernelDrops"/>. On a coalescing socket the kernel counts a coalesced buffer as one drop.
    /// </summary>
    public UdpDropUnit KernelDropUnit { get; init; }
}
