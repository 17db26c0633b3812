namespace Spate;

/// <summary>
/// The options of a socket. They are fixed at <see cref="UdpSocket.Bind"/>, <see cref="UdpSocket.Connect"/> or
/// <see cref="UdpSocket.Adopt"/>; the object is read once and may be reused for any number of sockets.
/// </summary>
public sealed record UdpSocketOptions
{
    /// <summary>4 MiB, the size that host-tuning guides give for a UDP flow at 10 Gbit/s.</summary>
    public static int DefaultBufferBytes => 4 << 20;

    /// <summary>
    /// Identifies the socket in the metrics: the attribute <c>spate.name</c> of the meter <c>Spate</c>. 1 to 64
    /// characters, none of them a control character. Counts are summed by name, those of sockets without a name
    /// together. The process keeps the totals of 1,000 names for good; sockets of further names count as if they had
    /// none. So give names to roles ("dns"), not to peers. Default null: none.
    /// </summary>
    public string? Name { get; init; }

    /// <summary>The backend; default <see cref="UdpBackend.Automatic"/>.</summary>
    public UdpBackend Backend { get; init; } = UdpBackend.Automatic;

    /// <summary>
    /// Receive buffer to request, 1 to 1,073,741,823 bytes; default 4 MiB; null keeps the system's size. The granted
    /// size is <see cref="UdpSocket.ReceiveBufferBytes"/>. The kernel charges whole buffers, about 832 bytes for a
    /// datagram of up to 64.
    /// </summary>
    public int? ReceiveBufferBytes { get; init; } = DefaultBufferBytes;

    /// <summary>
    /// Send buffer to request, 1 to 1,073,741,823 bytes; default 4 MiB; null keeps the system's size. The granted size
    /// is <see cref="UdpSocket.SendBufferBytes"/>.
    /// </summary>
    public int? SendBufferBytes { get; init; } = DefaultBufferBytes;

    /// <summary>
    /// Whether buffers above the system's limit are forced if the process may do so (Linux: SO_RCVBUFFORCE with
    /// CAP_NET_ADMIN). Default true. If the process may not, the buffer is the largest that the limit allows, and the
    /// socket reports that size.
    /// </summary>
    public bool ForceBuffers { get; init; } = true;

    /// <summary>
    /// Whether the kernel may hand over several datagrams of one peer as one buffer (Linux: UDP_GRO), which the batch
    /// cuts apart. Default true. Batches of such a socket have slots of 64 KiB. <c>SPATE_GRO=0</c> switches it off for
    /// the process.
    /// </summary>
    public bool CoalescedReceive { get; init; } = true;

    /// <summary>
    /// Whether datagrams of one peer and size leave as GSO messages (Linux: UDP_SEGMENT). Default true.
    /// <c>SPATE_GSO=0</c> switches it off for the process.
    /// </summary>
    public bool SegmentedSend { get; init; } = true;

    /// <summary>Whether an IPv6 socket also speaks IPv4; such peers are seen as plain IPv4. Default true.</summary>
    public bool DualStack { get; init; } = true;

    /// <summary>
    /// SO_REUSEPORT alone, without SO_REUSEADDR: several sockets share a port and the kernel spreads peers over them;
    /// each of them hears every broadcast. Default false. Linux and macOS. With port 0 the system chooses a port that
    /// no other socket has (Linux 4.5); sockets of the same user that name the port can join it afterwards.
    /// </summary>
    public bool ReusePort { get; init; }

    /// <summary>SO_REUSEADDR: for multicast receivers that share a group's port. Default false.</summary>
    public bool ReuseAddress { get; init; }

    /// <summary>Whether sending to broadcast addresses is allowed. Default false.</summary>
    public bool Broadcast { get; init; }

    /// <summary>Name of the only interface to use (Linux: SO_BINDTODEVICE). Default null: any.</summary>
    public string? BindToDevice { get; init; }

    /// <summary>
    /// Time to live or hop limit of sent datagrams, 1 to 255; default null: the system's (64 on Linux).
    /// </summary>
    public int? TimeToLive { get; init; }

    /// <summary>
    /// Traffic class byte (DSCP and ECN) of sent datagrams, 0 to 255; default null: 0. For a single datagram, see
    /// <see cref="SendControl"/>.
    /// </summary>
    public int? TrafficClass { get; init; }

    /// <summary>
    /// What becomes of datagrams larger than the path's MTU; default <see cref="UdpFragmentation.Allowed"/>.
    /// </summary>
    public UdpFragmentation Fragmentation { get; init; } = UdpFragmentation.Allowed;

    /// <summary>The metadata to report for each received datagram; default <see cref="UdpMetadata.None"/>.</summary>
    public UdpMetadata Metadata { get; init; } = UdpMetadata.None;

    /// <summary>
    /// Whether ICMP errors are attributed to the peer they are about (Linux: IP_RECVERR) and can be read with
    /// <see cref="UdpSocket.TryReceiveIcmpError"/>. Default false: the errors are only counted, if the kernel reports
    /// them at all.
    /// </summary>
    public bool IcmpErrors { get; init; }

    /// <summary>
    /// Whether receives of a connected socket throw <see cref="System.Net.Sockets.SocketException"/> with
    /// <c>ConnectionRefused</c> when an ICMP message (port unreachable) says that nobody listens at the peer's port, as
    /// <see cref="System.Net.Sockets.Socket"/> does. Default false: the message is counted
    /// (<see cref="UdpCounters.IcmpErrors"/>) and the receive goes on waiting. The exception is thrown once per
    /// message, and the socket stays usable. A send never throws it; an error that a send meets is left to the next
    /// receive. Works with every backend; the code is <c>ConnectionRefused</c> on Windows too. No effect on a socket
    /// that is not connected. A connected socket with this option cannot be in a <see cref="UdpPoller{TState}"/>, and
    /// the option excludes <see cref="IcmpErrors"/>. Anybody who knows both ports can forge such a message, so take it
    /// as a hint. Hosts limit how many of these messages they send (Linux: net.ipv4.icmp_ratelimit), and firewalls drop
    /// them: keep a time limit too.
    /// </summary>
    public bool ReportPortUnreachable { get; init; }

    /// <summary>
    /// Whether datagrams may carry the time at which they are to leave, <see cref="SendControl.TransmitTime"/> (Linux
    /// 4.19: SO_TXTIME with CLOCK_MONOTONIC, which needs no right). Default false. The Mmsg sender only, which
    /// <see cref="UdpBackend.Uring"/> has too.
    /// </summary>
    public bool TransmitTimes { get; init; }

    /// <summary>
    /// Whether continuations of awaited calls run on the readiness thread instead of the pool. Default false. It saves
    /// a hop between threads, but a continuation that blocks then stops every awaited call of the process. So does a
    /// loop under a flood, whose awaits find datagrams at once and never release the thread: yield now and then.
    /// Methods that await the awaiting method continue on that thread as well, and so on up: <c>await Task.Yield()</c>
    /// leaves it.
    /// </summary>
    public bool InlineContinuations { get; init; }

    /// <summary>
    /// Whether only one thread will receive on the socket, the first that does; any thread may send. Default false. It
    /// lets <see cref="UdpBackend.Uring"/> leave the kernel's part of receiving to the moment when that thread asks
    /// (IORING_SETUP_DEFER_TASKRUN, Linux 6.1). Then a receive by another thread, or an awaited one, throws
    /// <see cref="InvalidOperationException"/>. Other backends ignore this option.
    /// </summary>
    public bool OneReceivingThread { get; init; }

    /// <summary>
    /// The backend to take where neither <see cref="Backend"/> nor <c>SPATE_BACKEND</c> names one, if it is available
    /// here; default: the fastest as a rule.
    /// </summary>
    internal UdpBackend PreferredBackend { get; init; } = UdpBackend.Automatic;

    /// <summary>
    /// The longest payload that a ring's buffers take where receiving does not coalesce, for sockets whose batches are
    /// all known beforehand; longer ones are truncated. Default null: the longest there is.
    /// </summary>
    internal int? RingPayloadBytes { get; init; }

    /// <summary>Whether a filter lets nothing in from before the socket is bound until it is detached.</summary>
    internal bool RefusesArrivals { get; init; }

    /// <summary>
    /// The clock for timeouts, GSO fallback and event limits; default <see cref="TimeProvider.System"/>.
    /// </summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}
