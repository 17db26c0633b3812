using Spate.Serving;

namespace Spate.Hosting;

/// <summary>
/// The options of a hosted server, as the section <c>Udp:name</c> of the configuration has them: every property that
/// can be set, under its name. A key that is no option is refused when the host starts, so that a misspelt one is
/// noticed. They are read once, when the server starts; later changes of the configuration have no effect. What has no
/// property here is set by <see cref="UdpServerBuilder.Customize"/>.
/// </summary>
public sealed class UdpHostedServerOptions
{
    /// <summary>
    /// Addresses with ports, 1 to 64; needed. In the configuration a list, or one text with commas between:
    /// <c>0.0.0.0:53, [::]:53</c>. Port 0 lets the system choose (<see cref="UdpServer.LocalEndPoints"/>).
    /// </summary>
    public IReadOnlyList<UdpEndPoint> LocalEndPoints { get; set; } = [];

    /// <summary>
    /// How work is divided; default <see cref="UdpServerDesign.Sharded"/>. In the configuration a
    /// <see cref="UdpServerDesign.Name"/>, like <c>reader-workers</c>.
    /// </summary>
    public UdpServerDesign Design { get; set; } = UdpServerDesign.Sharded;

    /// <summary>Threads that run handlers, 1 to 256; default null: one per CPU of the process.</summary>
    public int? ThreadCount { get; set; }

    /// <summary>
    /// CPUs that the threads are tied to (<see cref="UdpServerOptions.Cpus"/>); default none. In the
    /// configuration a list, or <c>2, 3</c>. Linux only.
    /// </summary>
    public IReadOnlyList<int> Cpus { get; set; } = [];

    /// <summary>How the kernel chooses shards; default <see cref="UdpSteering.Automatic"/>.</summary>
    public UdpSteering Steering { get; set; }

    /// <summary>What threads do while nothing arrives; default <see cref="UdpServerWait.Automatic"/>.</summary>
    public UdpServerWait Wait { get; set; }

    /// <summary>
    /// How often <see cref="UdpHandler.OnTick"/> is called, at least 1 ms; default null: never. In the configuration
    /// <c>50ms</c>, <c>2s</c> or <c>00:00:02</c>.
    /// </summary>
    public TimeSpan? TickInterval { get; set; }

    /// <summary>
    /// How long replies wait for a full send buffer (<see cref="UdpServerOptions.ReplyTimeout"/>); default 1 s.
    /// </summary>
    public TimeSpan ReplyTimeout { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Bytes to ask for the receive buffer of a socket, 1 to 1,073,741,823; default
    /// <see cref="UdpSocketOptions.DefaultBufferBytes"/>. Null, in code only, keeps the system's size, as in
    /// <see cref="UdpSocketOptions"/>. In the configuration <c>4M</c> (units of 1024: K, M), or a number of bytes.
    /// </summary>
    public int? ReceiveBufferBytes { get; set; } = UdpSocketOptions.DefaultBufferBytes;

    /// <summary>
    /// Bytes to ask for the send buffer of a socket, as <see cref="ReceiveBufferBytes"/>; default
    /// <see cref="UdpSocketOptions.DefaultBufferBytes"/>, and null keeps the system's size.
    /// </summary>
    public int? SendBufferBytes { get; set; } = UdpSocketOptions.DefaultBufferBytes;

    /// <summary>The backend; default <see cref="UdpBackend.Automatic"/>.</summary>
    public UdpBackend Backend { get; set; }

    /// <summary>Whether coalesced buffers are received (<see cref="UdpSocketOptions.CoalescedReceive"/>); default
    /// null: true on Linux, false on Windows.</summary>
    public bool? CoalescedReceive { get; set; }

    /// <summary>
    /// Whether replies leave as GSO messages (<see cref="UdpSocketOptions.SegmentedSend"/>); default null: true
    /// if the system can.
    /// </summary>
    public bool? SegmentedSend { get; set; }

    /// <summary>
    /// The longest time for what is queued when the host stops, zero or more; default 10 s. The end of the host's own
    /// time, <c>HostOptions.ShutdownTimeout</c>, ends it too.
    /// </summary>
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// What becomes of the host if the server ends by an exception; default
    /// <see cref="UdpServerExceptionBehavior.StopHost"/>.
    /// </summary>
    public UdpServerExceptionBehavior ServerExceptionBehavior { get; set; }

    /// <summary>Changes of the options that the server is started with, in the order of their calls.</summary>
    internal List<Func<UdpServerOptions, UdpServerOptions>> Customizations { get; } = [];

    internal Func<IServiceProvider, UdpShard, UdpHandler>? HandlerFactory { get; set; }

    /// <summary>What was wrong in the configuration, one line each.</summary>
    internal List<string> Faults { get; } = [];

    internal UdpServerOptions ToServerOptions(string name, TimeProvider time, Action<UdpServerFault> onFault)
    {
        UdpServerOptions options = new()
        {
            Name = name,
            LocalEndPoints = LocalEndPoints,
            Design = Design,
            ThreadCount = ThreadCount,
            Cpus = Cpus,
            Steering = Steering,
            Wait = Wait,
            TickInterval = TickInterval,
            ReplyTimeout = ReplyTimeout,
            OnFault = onFault,
            Socket = new UdpSocketOptions
            {
                Backend = Backend,
                ReceiveBufferBytes = ReceiveBufferBytes,
                SendBufferBytes = SendBufferBytes,
                CoalescedReceive = CoalescedReceive,
                SegmentedSend = SegmentedSend,
                TimeProvider = time,
            },
        };
        return Customizations.Aggregate(options, (options, customize) => customize(options)
            ?? throw new InvalidOperationException(
                $"A function that customizes the UDP server '{name}' returned null: return the options, or a copy."));
    }
}
