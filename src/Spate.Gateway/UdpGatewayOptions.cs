using System.Net;
using Spate.Gateway.Format;
using Spate.Serving;

namespace Spate.Gateway;

/// <summary>
/// The options of a <see cref="UdpGateway"/>. They are read once, when it is started; the object may be reused.
/// </summary>
public sealed record UdpGatewayOptions
{
    /// <summary>
    /// Addresses and ports to receive at, 1 to 64. Port 0 lets the system choose one: see
    /// <see cref="UdpGateway.LocalEndPoints"/>.
    /// </summary>
    public required IReadOnlyList<UdpEndPoint> LocalEndPoints { get; init => field = RecordList.Copy(value); }

    /// <summary>The brokers, or <see cref="GatewayTarget.Discard"/>.</summary>
    public required GatewayTarget Target { get; init; }

    /// <summary>
    /// The name of the stream or queue, 1 to 200 characters; needed unless the target is
    /// <see cref="GatewayTarget.Discard"/>. Of several partitions each has the name and its number: NAME-0, NAME-1.
    /// </summary>
    public string? QueueName { get; init; }

    /// <summary>What <see cref="QueueName"/> names; default <see cref="GatewayQueueKind.Stream"/>.</summary>
    public GatewayQueueKind QueueKind { get; init; }

    /// <summary>The number of streams or queues, 1 to 64; default 1.</summary>
    public int PartitionCount { get; init; } = 1;

    /// <summary>How datagrams are divided among them; default <see cref="GatewayPartitioning.PeerHash"/>.</summary>
    public GatewayPartitioning Partitioning { get; init; }

    /// <summary>
    /// Whether streams or queues that are missing are declared. Default false: they must exist. A queue is declared as
    /// a quorum queue that refuses messages when it is full, because it would drop confirmed ones otherwise.
    /// </summary>
    public bool Declare { get; init; }

    /// <summary>
    /// The bytes that each declared stream or queue may hold, 1 MiB or more; default 2 GiB. A stream drops its oldest
    /// messages then, a queue refuses new ones.
    /// </summary>
    public long MaxQueueBytes { get; init; } = 2L << 30;

    /// <summary>
    /// Bytes of a message with its prefix, 4 KiB to 1 MiB; default 120 KiB, which fits into one frame of RabbitMQ
    /// (128 KiB). Longer ones gained nothing in measurements. What is larger than a message is dropped.
    /// </summary>
    public int PackBytes { get; init; } = 120 * 1024;

    /// <summary>The most datagrams in a message, 1 or more; default null: as many as fit.</summary>
    public int? PackCount { get; init; }

    /// <summary>
    /// How long a datagram waits for others of its message, 1 ms to 1 s; default 20 ms. A thread that is busy may take
    /// longer.
    /// </summary>
    public TimeSpan PackWait { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>
    /// Messages of a pipeline that are published and not yet confirmed, 1 to 100; default 32, with which one pipeline
    /// wrote 450 to 600 MB/s into a stream on two CPUs that it shared with the broker.
    /// </summary>
    public int ConfirmWindow { get; init; } = 32;

    /// <summary>
    /// Bytes for messages that are filled, wait or are not confirmed, and for the client's copies of them: 1 MiB or
    /// more; default 256 MiB. It is divided among the pipelines, one for each thread. The process has at most 150 MB
    /// more.
    /// </summary>
    public long MemoryBytes { get; init; } = 256L << 20;

    /// <summary>The datagrams to drop when that is full; default <see cref="GatewayFullMode.DropArriving"/>.</summary>
    public GatewayFullMode FullMode { get; init; }

    /// <summary>
    /// The gateway's name in every message, 1 to 64 bytes of UTF-8; default the host's name. Two gateways that run at
    /// once need different ones. Runs of one gateway are told apart by their start.
    /// </summary>
    public string Id { get; init; } = DefaultId();

    /// <summary>The prefixes that datagrams are taken from, at most 4,096; default empty: from everywhere.</summary>
    public IReadOnlyList<IPNetwork> AllowedPrefixes { get; init => field = RecordList.Copy(value); } =
        RecordList.Copy<IPNetwork>([]);

    /// <summary>
    /// Datagrams per second from one prefix (/24 of IPv4, /64 of IPv6) on each thread, 1 to 1,000,000; after a pause as
    /// many may come at once. Default null: no limit. A limited gateway has 1 MiB more on each thread.
    /// </summary>
    public int? MaxPerSecondPerPrefix { get; init; }

    /// <summary>
    /// The user and password for the brokers; default null: see
    /// <see cref="GatewayCredentials.Read(GatewayTarget, string?, string?)"/>.
    /// </summary>
    public GatewayCredentials? Credentials { get; init; }

    /// <summary>
    /// A file of certificates (PEM) that is trusted in place of the system's; default null. Chain and name are verified
    /// in any case.
    /// </summary>
    public string? CertificateAuthorityFile { get; init; }

    /// <summary>
    /// How long hosts are tried at the start, 100 ms to 10 minutes; default 10 s. Later they are tried without end.
    /// </summary>
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// After how long without a confirm a pipeline is <see cref="GatewayState.Stalled"/>, 100 ms to 10 minutes; default
    /// 5 s.
    /// </summary>
    public TimeSpan StalledAfter { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The longest time for queued and held datagrams when the gateway is stopped without another time, disposed, or
    /// stopped by its host; zero to 24 days, default 5 s.
    /// </summary>
    public TimeSpan DrainTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Threads that receive, each with a connection of its own, 1 to 256; default null: one per CPU of the process, on
    /// systems without SO_REUSEPORT one.
    /// </summary>
    public int? ThreadCount { get; init; }

    /// <summary>
    /// How the kernel spreads datagrams over threads; default <see cref="UdpSteering.Automatic"/>. For one sender that
    /// is too much for one thread: <see cref="UdpSteering.Spread"/>.
    /// </summary>
    public UdpSteering Steering { get; init; } = UdpSteering.Automatic;

    /// <summary>
    /// The sockets' options; default those of <see cref="UdpSocketOptions"/>. The gateway asks for the local address
    /// where it receives at a wildcard address. <see cref="UdpSocketOptions.TimeProvider"/> is the clock of the whole
    /// gateway.
    /// </summary>
    public UdpSocketOptions Socket { get; init; } = new();

    /// <summary>
    /// The gateway's name in logs and metrics (the attribute <c>spate.name</c>); default null: none.
    /// </summary>
    public string? Name { get; init; }

    /// <summary>
    /// Called with exceptions that a thread threw, which would be a fault of the gateway; see
    /// <see cref="UdpServerOptions.OnFault"/>. Default null.
    /// </summary>
    public Action<UdpServerFault>? OnFault { get; init; }

    /// <summary>
    /// Called when a pipeline has lost its connection, is refused, or is connected again. Called on threads of the
    /// pool; it must not block; its exceptions are ignored. Default null.
    /// </summary>
    public Action<GatewayConnectionEvent>? OnConnection { get; init; }

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(
        nameof(UdpGatewayOptions),
        PrintMembers,
        (nameof(LocalEndPoints), LocalEndPoints),
        (nameof(AllowedPrefixes), AllowedPrefixes));

    // A host's name may be longer than an id, or empty in a container.
    private static string DefaultId()
    {
        string name = Environment.MachineName;
        return name.Length == 0 ? "gateway" : name[..Math.Min(name.Length, FormatLimits.MaxIdBytes)];
    }
}
