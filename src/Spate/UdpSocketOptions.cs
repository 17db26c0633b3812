namespace Spate;

/// <summary>
/// The options of a socket. They are fixed when the socket is created, by <see cref="UdpSocket.Bind"/>,
/// <see cref="UdpSocket.Connect"/> or <see cref="UdpSocket.FromSocket"/>. One object can serve any number of sockets.
/// </summary>
public sealed record UdpSocketOptions
{
    /// <summary>The default buffer size: 4 MiB, as host-tuning guides recommend for a UDP flow at 10 Gbit/s.</summary>
    public static int DefaultBufferBytes => 4 << 20;

    /// <summary>
    /// The name of the socket in the metrics: the attribute <c>spate.name</c> of the meter <c>Spate</c>. A name has 1
    /// to 64 characters and no control characters. Default null: no name. The meter sums the counts of all sockets with
    /// the same name, and of all sockets without a name. The process keeps the totals of at most 1,000 names, forever.
    /// Sockets with any further name are counted together with the sockets that have no name. So give names to roles
    /// ("dns"), not to peers.
    /// </summary>
    public string? Name { get; init; }

    /// <summary>The backend of the socket. Default <see cref="UdpBackend.Automatic"/>.</summary>
    public UdpBackend Backend { get; init; } = UdpBackend.Automatic;

    /// <summary>
    /// The size of the receive buffer to request, 1 to 1,073,741,823 bytes. Default 4 MiB; null keeps the system's
    /// size. <see cref="UdpSocket.ReceiveBufferBytes"/> is the granted size. The kernel counts the whole memory of each
    /// datagram, not only the payload: about 832 bytes for a payload of up to 64 bytes.
    /// </summary>
    public int? ReceiveBufferBytes { get; init; } = DefaultBufferBytes;

    /// <summary>
    /// The size of the send buffer to request, 1 to 1,073,741,823 bytes. Default 4 MiB; null keeps the system's size.
    /// <see cref="UdpSocket.SendBufferBytes"/> is the granted size.
    /// </summary>
    public int? SendBufferBytes { get; init; } = DefaultBufferBytes;

    /// <summary>
    /// Whether to force buffer sizes above the system's limit, if the process has the privilege (Linux: SO_RCVBUFFORCE
    /// with CAP_NET_ADMIN). Default true. Without the privilege, the buffer gets the largest size that the limit
    /// allows, and the socket reports that size.
    /// </summary>
    public bool ForceBuffers { get; init; } = true;

    /// <summary>
    /// Whether the kernel is allowed to return several datagrams of one peer in one buffer (Linux: UDP_GRO; Windows:
    /// UDP_RECV_MAX_COALESCED_SIZE); the batch splits such a buffer into its datagrams. Default null: true on Linux,
    /// and false on Windows, where some machines hand over such buffers without the size of their datagrams. Portable
    /// and Rio never coalesce. The batches of such a socket have slots of 64 KiB. The environment variable
    /// <c>SPATE_GRO=0</c> turns this off for the process.
    /// </summary>
    public bool? CoalescedReceive { get; init; }

    /// <summary>
    /// Whether datagrams of one peer and size are sent as GSO messages (Linux: UDP_SEGMENT; Windows with Winsock and
    /// Rio: UDP_SEND_MSG_SIZE). Default null: true wherever the system's probe succeeded. Portable never segments. The
    /// environment variable <c>SPATE_GSO=0</c> turns this off for the process.
    /// </summary>
    public bool? SegmentedSend { get; init; }

    /// <summary>
    /// Whether an IPv6 socket also sends and receives over IPv4. IPv4 peers then appear with plain IPv4 addresses.
    /// Default true.
    /// </summary>
    public bool DualMode { get; init; } = true;

    /// <summary>
    /// Whether several sockets can share a port: the kernel then spreads the peers over the sockets, and each socket
    /// receives every broadcast. Default false. Sets SO_REUSEPORT, but not SO_REUSEADDR. Linux and macOS only. With
    /// port 0 the system chooses a port that no other socket has (Linux 4.5). Sockets of the same user that bind to the
    /// chosen port can still join it afterwards.
    /// </summary>
    public bool ReusePort { get; init; }

    /// <summary>
    /// Whether to set SO_REUSEADDR, for multicast receivers that share the port of a group. Default false.
    /// </summary>
    public bool ReuseAddress { get; init; }

    /// <summary>Whether sending to broadcast addresses is allowed. Default false.</summary>
    public bool EnableBroadcast { get; init; }

    /// <summary>The name of the only interface to use (Linux: SO_BINDTODEVICE). Default null: any interface.</summary>
    public string? BindToDevice { get; init; }

    /// <summary>
    /// The time to live or hop limit of sent datagrams, 1 to 255. Default null: the system's value (64 on Linux). With
    /// Winsock and Rio it cannot be set for a single datagram (<see cref="SendControl.TimeToLive"/>).
    /// </summary>
    public int? TimeToLive { get; init; }

    /// <summary>
    /// The traffic class byte (DSCP and ECN) of sent datagrams, 0 to 255. Default null: 0. On an IPv6 socket Linux
    /// only. <see cref="SendControl"/> sets the traffic class of a single datagram.
    /// </summary>
    public int? TrafficClass { get; init; }

    /// <summary>
    /// How to treat datagrams that are larger than the path's MTU. Default <see cref="UdpFragmentation.Allowed"/>.
    /// </summary>
    public UdpFragmentation Fragmentation { get; init; } = UdpFragmentation.Allowed;

    /// <summary>
    /// The metadata to report for each received datagram. Default <see cref="UdpMetadata.None"/>. Portable takes None
    /// only; Winsock and Rio refuse <see cref="UdpMetadata.Timestamp"/>.
    /// </summary>
    public UdpMetadata Metadata { get; init; } = UdpMetadata.None;

    /// <summary>
    /// Whether ICMP errors are attributed to peers (Linux: IP_RECVERR), so that
    /// <see cref="UdpSocket.TryReceiveIcmpError"/> returns each error with the peer that it concerns. Default false:
    /// the errors are only counted, if the kernel reports them at all. Only with Mmsg and Uring; other backends refuse
    /// it.
    /// </summary>
    public bool ReportIcmpErrors { get; init; }

    /// <summary>
    /// Whether receives of a connected socket throw <see cref="System.Net.Sockets.SocketException"/> with
    /// <c>ConnectionRefused</c> when an ICMP message (port unreachable) reports that nobody listens at the peer's port.
    /// <see cref="System.Net.Sockets.Socket"/> does the same. Default false: the message is counted
    /// (<see cref="UdpCounters.IcmpErrors"/>) and the receive continues to wait. The exception is thrown once per
    /// message, and the socket stays usable. A send never throws this exception: if a send gets the error, a waiting
    /// receive or the next receive throws. The option works with every backend but Rio: there,
    /// opening a socket with it throws <see cref="PlatformNotSupportedException"/>. The code is
    /// <c>ConnectionRefused</c> on Windows too. The option has no effect on a socket that is not connected. A connected
    /// socket with this option cannot be in a <see cref="UdpPoller{TState}"/>. The option cannot be combined with
    /// <see cref="ReportIcmpErrors"/>. Anybody who knows both ports can forge such a message, so treat the exception as
    /// a hint. Hosts limit how many of these messages they send (Linux: net.ipv4.icmp_ratelimit), and firewalls drop
    /// them, so also use a timeout.
    /// </summary>
    public bool ReportPortUnreachable { get; init; }

    /// <summary>
    /// Whether datagrams can carry the time at which the kernel is to send them,
    /// <see cref="SendControl.TransmitTimeMonotonicNanoseconds"/> (Linux 4.19: SO_TXTIME with CLOCK_MONOTONIC, which
    /// needs no privilege). Default false. Only with the backends Mmsg and Uring, which send in the same way.
    /// </summary>
    public bool EnableTransmitTimes { get; init; }

    /// <summary>
    /// Whether continuations of awaited calls run on the thread that notices that the socket is ready (the event
    /// thread), instead of the thread pool. Default false. True saves one switch between threads. But a continuation
    /// that blocks then stops the awaited calls of all sockets that have the same event thread. The environment
    /// variable <c>SPATE_EVENT_THREADS</c> (1 to 64; default one for every eight CPUs) sets how many of these threads
    /// the process has. A receive loop under a flood has the same effect: its awaits find datagrams at once and never
    /// release the thread, so let the loop yield from time to time. If your method awaits a call of this socket, the
    /// callers that await your method also continue on the event thread. <c>await Task.Yield()</c> leaves the thread.
    /// </summary>
    public bool AllowSynchronousContinuations { get; init; }

    /// <summary>
    /// A promise that only one thread will receive on the socket: the thread that receives first, and no other at any
    /// time. <c>ChannelOptions.SingleReader</c> only promises one reader at a time. Any thread may send. Default false.
    /// With <see cref="UdpBackend.Uring"/> the kernel can then do its part of receiving only when that thread
    /// asks for datagrams (IORING_SETUP_DEFER_TASKRUN, Linux 6.1). A receive on another thread, and every awaited
    /// receive, then throws <see cref="InvalidOperationException"/>. Other backends ignore this option.
    /// </summary>
    public bool SingleReader { get; init; }

    /// <summary>
    /// The backend to use if neither <see cref="Backend"/> nor <c>SPATE_BACKEND</c> names a backend, and if this
    /// backend is available here. Default <see cref="UdpBackend.Automatic"/>: usually the fastest backend.
    /// </summary>
    internal UdpBackend PreferredBackend { get; init; } = UdpBackend.Automatic;

    /// <summary>
    /// The longest payload that fits into a buffer of a ring if receives do not coalesce. Longer payloads are
    /// truncated. Set this only if the slot size of all batches of the socket is known in advance. Default null: the
    /// longest payload of UDP.
    /// </summary>
    internal int? RingPayloadBytes { get; init; }

    /// <summary>What announces datagrams of a socket of the Rio backend. Default: an event.</summary>
    internal RioNotification NotifiesBy { get; init; }

    /// <summary>
    /// Whether a thread of its own posts the receives of a socket of the Rio backend again. Default false: the
    /// receiving thread does.
    /// </summary>
    internal bool PostsOnThread { get; init; }

    /// <summary>
    /// The processor whose datagrams the socket gets on Windows, if it shares its port with the sockets of other
    /// processors. Default null: all datagrams.
    /// </summary>
    internal int? ProcessorIndex { get; init; }

    /// <summary>
    /// Whether a filter refuses all arriving datagrams, from before the socket is bound until the filter is detached.
    /// </summary>
    internal bool RefusesArrivals { get; init; }

    /// <summary>
    /// The clock for timeouts, for the time until a GSO fallback ends, and for the limit on repeated events. Default
    /// <see cref="TimeProvider.System"/>.
    /// </summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>The forms in which Registered I/O announces datagrams.</summary>
    internal enum RioNotification
    {
        /// <summary>An event, for which all forms of receive and pollers can wait.</summary>
        Event,

        /// <summary>
        /// A completion port of the socket's own, for blocking receives. Awaited receives and pollers look again each
        /// millisecond.
        /// </summary>
        Port,

        /// <summary>Nothing: for receives that do not wait. All others look again each millisecond.</summary>
        Nothing,
    }
}
