namespace Spate;

/// <summary>
/// What one socket has done since it was opened: a snapshot, exact per call. Datagrams are counted after cutting, so a
/// coalesced buffer of 47 counts as 47.
/// </summary>
public readonly record struct UdpCounters
{
    /// <summary>Datagrams handed to the application; those that still wait in the socket are not counted.</summary>
    public long DatagramsReceived { get; init; }

    /// <summary>Their payload bytes.</summary>
    public long BytesReceived { get; init; }

    /// <summary>Calls that returned at least one datagram.</summary>
    public long ReceiveCalls { get; init; }

    /// <summary>
    /// Buffers that the kernel handed over: less than <see cref="DatagramsReceived"/> where it coalesced.
    /// </summary>
    public long BuffersReceived { get; init; }

    /// <summary>Datagrams that were longer than their slot and cut off.</summary>
    public long DatagramsTruncated { get; init; }

    /// <summary>
    /// Datagrams that the socket had taken from the system and that nobody had received when it closed: lost, and not
    /// among <see cref="DatagramsReceived"/>. Single receives of a socket that coalesces or has a ring take several at
    /// once. 0 while the socket is open; what the system itself still has queued then is not counted.
    /// </summary>
    public long DatagramsUnread { get; init; }

    /// <summary>Datagrams that the system accepted for sending.</summary>
    public long DatagramsSent { get; init; }

    /// <summary>Their payload bytes.</summary>
    public long BytesSent { get; init; }

    /// <summary>Calls that sent at least one datagram.</summary>
    public long SendCalls { get; init; }

    /// <summary>
    /// Messages handed to the kernel: less than <see cref="DatagramsSent"/> where GSO messages were sent.
    /// </summary>
    public long MessagesSent { get; init; }

    /// <summary>Datagrams that the system refused, each reported in a <see cref="SendResult"/>.</summary>
    public long DatagramsRefused { get; init; }

    /// <summary>
    /// Times a call met a system without memory or queue space (ENOBUFS, ENOMEM); it was made again a little later.
    /// </summary>
    public long NoBufferEvents { get; init; }

    /// <summary>
    /// ICMP errors that calls on this socket were told of. The kernel keeps one between two calls, so those that come
    /// together count once; with <see cref="UdpSocketOptions.IcmpErrors"/>, <see cref="UdpSocket.TryReceiveIcmpError"/>
    /// tells each.
    /// </summary>
    public long IcmpErrors { get; init; }

    /// <summary>
    /// Receives that failed for a reason this library does not know, or again and again, as where a security module
    /// forbids them; the loop went on after a pause.
    /// </summary>
    public long UnknownErrors { get; init; }

    /// <summary>
    /// GSO messages that a route refused and that were sent plainly. Each means that their destination gets plain
    /// datagrams for ten minutes from the first refusal: of every size, or of the refused size and larger where the
    /// system names the size as the reason (EMSGSIZE, EINVAL). GSO messages whose datagrams are refused plainly too are
    /// not counted here. Mmsg and Uring; 0 elsewhere.
    /// </summary>
    public long GsoFallbacks { get; init; }

    /// <summary>
    /// What the kernel dropped because this socket's receive buffer was full (SO_MEMINFO), in the unit that
    /// <see cref="KernelDropUnit"/> names; -1 where the system cannot tell. The kernel counts to 2^32 and begins again;
    /// this goes on, as long as the counters or the meter are read once in 2^32 drops (7 minutes at 10 million a
    /// second).
    /// </summary>
    public long KernelDrops { get; init; }

    /// <summary>
    /// What <see cref="KernelDrops"/> counts: on a coalescing socket the kernel counts a coalesced buffer as one.
    /// </summary>
    public UdpDropUnit KernelDropUnit { get; init; }
}
