using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Cli.Serve;

/// <summary>
/// What a <see cref="ServeRun"/> does. The server's own options have the defaults and bounds of
/// <see cref="UdpServerOptions"/>.
/// </summary>
internal sealed record ServeOptions
{
    public const int DefaultAnswersPerPeer = 1_000_000;

    public const int MaxAnswersPerPeer = 1_000_000_000;

    public const int MaxDestinationCount = 64;

    public IReadOnlyList<UdpEndPoint> LocalEndPoints { get; init; } = [UdpEndPoint.Any(9999)];

    public ServeApp App { get; init; } = ServeApp.Count;

    /// <summary>Where <see cref="ServeApp.Relay"/> forwards to: 1 to <see cref="MaxDestinationCount"/>.</summary>
    public IReadOnlyList<UdpEndPoint> Destinations { get; init; } = [];

    /// <summary>
    /// The answers that <see cref="ServeApp.Echo"/> sends a peer before its first pause, 1 to
    /// <see cref="MaxAnswersPerPeer"/>; null for no limit. See <see cref="AnswerLimit"/>. Threads that share peers
    /// count each for itself.
    /// </summary>
    public int? AnswersPerPeer { get; init; } = DefaultAnswersPerPeer;

    /// <summary>
    /// Whether answers of <see cref="ServeApp.Echo"/> can have the received time to live less one: on Linux, with any
    /// backend but <see cref="UdpBackend.Portable"/>. It ends an exchange of two such servers after 64 answers.
    /// </summary>
    public bool LowersTimeToLive => App == ServeApp.Echo && IcmpSupport.IsPossible(Transport.Backend)
        && UdpCapabilities.Current.Metadata.IsAvailable;

    /// <summary>Rounds of <see cref="WorkLoad"/> per datagram; default 0.</summary>
    public int WorkRounds { get; init; }

    public ServerDesign Design { get; init; } = ServerDesign.Sharded;

    public int ThreadCount { get; init; }

    /// <summary>Threads in all, the one that receives for others included.</summary>
    public int AllThreadCount => (ThreadCount == 0 ? Environment.ProcessorCount : ThreadCount)
        + (Design.Kind.HasReceivingThread ? 1 : 0);

    public IReadOnlyList<int> Cpus { get; init; } = [];

    /// <summary>
    /// Whether a server of one thread that listens at loopback addresses only takes the CPU on which a bench places a
    /// receiver, where <see cref="Cpus"/> is empty and no other end has claimed it. CPUs that are named are
    /// claimed too. Linux only. Default: false.
    /// </summary>
    public bool PlacesBesidePeer { get; init; }

    public UdpSteering Steering { get; init; } = UdpSteering.Automatic;

    public UdpServerWait Wait { get; init; } = UdpServerWait.Automatic;

    /// <summary>The way of waiting, with the design's own for <see cref="UdpServerWait.Automatic"/>.</summary>
    public UdpServerWait EffectiveWait => Wait != UdpServerWait.Automatic ? Wait
        : Design.Kind == UdpServerDesign.Adaptive ? UdpServerWait.Adaptive : UdpServerWait.Blocking;

    public int WakeThreshold { get; init; } = 64;

    public bool SpinOnLastCpu { get; init; }

    /// <summary>The datagrams, over all threads, after which the run ends. What arrived is handled too.</summary>
    public long? DatagramCount { get; init; }

    public TimeSpan? Duration { get; init; }

    /// <summary>
    /// Whether the run ends when senders were heard and all of them have ended; for <see cref="ServeApp.Count"/> only.
    /// A sender has ended when it has announced its end, or sent nothing for <see cref="Patience"/>.
    /// </summary>
    public bool EndsWithSenders { get; init; }

    public TimeSpan Patience { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>What <see cref="ServeApp.Count"/> counts of test datagrams beyond what their numbers tell.</summary>
    public AccountingOptions Accounting { get; init; } = new();

    /// <summary>Time between two interval reports; zero for none.</summary>
    public TimeSpan Interval { get; init; } = IntervalReport.DefaultInterval;

    /// <summary>Whether the reports have all CPUs of the host, not only those with work or of the server.</summary>
    public bool ShowsAllCores { get; init; }

    public TransportOptions Transport { get; init; } = new();

    /// <summary>The rest is checked where the command line is read.</summary>
    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(WorkRounds, WorkLoad.MaxRounds);
        if ((App == ServeApp.Relay) != (Destinations.Count > 0))
        {
            throw new ArgumentException("Only a relay has destinations, at least one.", nameof(Destinations));
        }

        if (EndsWithSenders && App != ServeApp.Count)
        {
            throw new ArgumentException("Only Count can end with its senders.", nameof(EndsWithSenders));
        }
    }

    internal UdpServerOptions ToServerOptions(Action<UdpServerFault> onFault) => new()
    {
        LocalEndPoints = LocalEndPoints,
        Design = Design.Kind,
        ThreadCount = ThreadCount == 0 ? null : ThreadCount,
        Cpus = Cpus,
        Steering = Steering,
        Wait = Wait,
        WakeThreshold = WakeThreshold,
        SpinOnLastCpu = SpinOnLastCpu,
        TickInterval = App == ServeApp.Count ? CountHandler.PostInterval : null,
        OnFault = onFault,
        Socket = Transport.ToSocketOptions() with
        {
            ReportIcmpErrors = App == ServeApp.Relay && IcmpSupport.IsPossible(Transport.Backend),
            Metadata = LowersTimeToLive ? UdpMetadata.TimeToLive : UdpMetadata.None,
        },
    };
}

/// <summary>What a <see cref="ServeRun"/> does with datagrams.</summary>
internal enum ServeApp
{
    /// <summary>
    /// Counts datagrams and follows the streams of a <c>TrafficSender</c>, so that it is known exactly
    /// which part arrived. Announcements of an end do not count as datagrams.
    /// </summary>
    Count,

    /// <summary>Sends each datagram back to its peer, within the limits of <see cref="EchoHandler"/>.</summary>
    Echo,

    Discard,

    /// <summary>
    /// Forwards each datagram to every destination without copying it, in order per destination. It works one way:
    /// datagrams from a destination are not forwarded, and no answers are routed back.
    /// </summary>
    Relay,
}
