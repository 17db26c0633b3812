using Spate.Measurement.Counting;
using Spate.Measurement.Pacing;

namespace Spate.Measurement.Traffic;

/// <summary>How an end of traffic moves it: on which CPUs, and through which sockets.</summary>
internal record EndOptions
{
    /// <summary>CPU indexes for the flows' threads, used in turn; empty (the default): the system chooses.</summary>
    public IReadOnlyList<int> Cpus { get; init => field = RecordList.Copy(value); } = RecordList.Copy<int>([]);

    /// <summary>
    /// Whether a run of one flow whose peer is on this host takes the CPU on which a bench places that end, where
    /// <see cref="Cpus"/> is empty and no other end has claimed it. A receiver that anyone may send to does so at
    /// the first datagram. CPUs that are named are claimed too. Linux only. Default: false.
    /// </summary>
    public bool PlacesBesidePeer { get; init; }

    public TransportOptions Transport { get; init; } = new();

    public override string ToString() => RecordText.Of(GetType().Name, PrintMembers, (nameof(Cpus), Cpus));
}

/// <summary>The options that a sender and a receiver of traffic share.</summary>
internal abstract record TrafficOptions : EndOptions
{
    public const int MaxFlowCount = 256;

    /// <summary>Each with a thread of its own: 1 to <see cref="MaxFlowCount"/>; default 1.</summary>
    public int FlowCount { get; init; } = 1;

    /// <summary>Over all flows, after which the run ends; null (the default) for no such end.</summary>
    public long? DatagramCount { get; init; }

    /// <summary>The time after which the run ends; null (the default) for no such end.</summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>Between two interval reports; zero for none.</summary>
    public TimeSpan Interval { get; init; } = IntervalReport.DefaultInterval;

    /// <summary>Off: those CPUs that work, or that the run uses.</summary>
    public bool ShowsAllCores { get; init; }

    /// <summary>Whether the flows' threads take a whole CPU each on purpose, even without work.</summary>
    internal virtual bool Spins => false;

    internal void ValidateCommon()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(FlowCount, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(FlowCount, MaxFlowCount);
        ArgumentOutOfRangeException.ThrowIfLessThan(DatagramCount ?? 1, 1);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(Duration ?? TimeSpan.MaxValue, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(Interval, TimeSpan.Zero);
    }

    internal UdpSocketOptions SocketOptions(bool reusePort, bool broadcast) => Transport.ToSocketOptions() with
    {
        ReusePort = reusePort,
        EnableBroadcast = broadcast,
    };

    internal int? CpuOf(int flowIndex) => Cpus.Count == 0 ? null : Cpus[flowIndex % Cpus.Count];
}

/// <summary>What a <see cref="TrafficReceiver"/> does.</summary>
internal sealed record TrafficReceiverOptions : TrafficOptions
{
    /// <summary>
    /// Where to listen. Several flows share the port by SO_REUSEPORT; port 0 lets the system choose. A multicast group
    /// is joined on the interface that its scope id names, or else on that of its route; each flow gets all datagrams
    /// of a group.
    /// </summary>
    public UdpEndPoint Local { get; init; } = UdpEndPoint.Any(9999);

    /// <summary>
    /// What is counted of test datagrams. Null to count nothing of them: the receiver then only looks at the peer, the
    /// length and the first byte of each datagram, announcements count as datagrams, and the fields of the report that
    /// would need more are null. That is for measuring what the accounting costs. Default: all that needs no option.
    /// </summary>
    public AccountingOptions? Accounting { get; init; } = new();

    internal override bool Spins => Transport.SpinningReceive;

    internal void Validate()
    {
        ValidateCommon();
        Accounting?.Validate();
    }
}

/// <summary>What a <see cref="TrafficSender"/> does.</summary>
internal sealed record TrafficSenderOptions : TrafficOptions
{
    public const int DefaultSizeBytes = 1380;

    /// <summary>Each flow has one target, unless there are fewer flows than targets.</summary>
    public required IReadOnlyList<UdpEndPoint> Targets { get; init => field = RecordList.Copy(value); }

    /// <summary>From <see cref="TestDatagram.HeaderBytes"/> on, datagrams are numbered.</summary>
    public int SizeBytes { get; init; } = DefaultSizeBytes;

    /// <summary>Datagrams per second of all flows together; infinite (the default) for as fast as possible.</summary>
    public double DatagramsPerSecond { get; init; } = double.PositiveInfinity;

    /// <summary>Needs <see cref="TestDatagram.ChecksummedHeaderBytes"/>. Default: false.</summary>
    public bool Checksums { get; init; }

    /// <summary>Null (the default) for what <see cref="PacerWait.ModeFor"/> chooses by the flow's rate.</summary>
    public PaceMode? Pace { get; init; }

    internal PaceMode PaceOfFlows => Pace ?? PacerWait.ModeFor(DatagramsPerSecond / FlowCount);

    internal override bool Spins => PaceOfFlows == PaceMode.Spin && !double.IsInfinity(DatagramsPerSecond);

    /// <summary>Datagrams of a flow that leave at once; null for what its pacing finds best.</summary>
    internal int? BurstDatagrams { get; init; }

    /// <summary>Whether the end is announced, which takes 80 ms.</summary>
    internal bool AnnouncesEnd { get; init; } = true;

    internal void Validate()
    {
        ValidateCommon();
        ArgumentOutOfRangeException.ThrowIfZero(Targets.Count, nameof(Targets));
        ArgumentOutOfRangeException.ThrowIfNegative(SizeBytes);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(SizeBytes, SendBatch.MaxPayloadBytes);
        if (Checksums) ArgumentOutOfRangeException.ThrowIfLessThan(SizeBytes, TestDatagram.ChecksummedHeaderBytes);
    }
}

/// <summary>The backend, buffers and offloads of the sockets of all ends and of their warm-up.</summary>
internal sealed record TransportOptions
{
    // A receiver on a virtual machine does not run for up to 3.4 ms now and then, and 4 MiB are full after 0.7 ms at
    // 8 million datagrams a second. With 32 MiB the median of nine runs of 4 s lost nothing (docs/tune/startup.md).
    // macOS refuses more than kern.ipc.maxsockbuf, usually 8 MiB, where Linux grants what its limit allows.
    private static readonly int DefaultReceiveBytes =
        OperatingSystem.IsLinux() ? 32 << 20 : UdpSocketOptions.DefaultBufferBytes;

    /// <summary>Null (the default): see <see cref="ReceiveBufferBytes"/> and <see cref="SendBufferBytes"/>.</summary>
    public int? BufferBytes { get; init; }

    /// <summary>32 MiB on Linux by default; it takes memory only while datagrams wait in it.</summary>
    public int ReceiveBufferBytes => BufferBytes ?? DefaultReceiveBytes;

    public int SendBufferBytes => BufferBytes ?? UdpSocketOptions.DefaultBufferBytes;

    /// <summary>
    /// Above the system's limit where the process may. On by default; off, root measures what others get.
    /// </summary>
    public bool ForceBuffers { get; init; } = true;

    /// <summary>The backend of the sockets; <see cref="UdpBackend.Automatic"/> by default.</summary>
    public UdpBackend Backend { get; init; } = UdpBackend.Automatic;

    /// <summary>Whether datagrams are sent as GSO messages where possible. On by default.</summary>
    public bool SegmentedSend { get; init; } = true;

    /// <summary>Whether coalesced buffers are received where possible (GRO). On by default.</summary>
    public bool CoalescedReceive { get; init; } = true;

    /// <summary>
    /// Looks for datagrams without sleep, on a whole CPU for each thread: a virtual machine's CPU that sleeps may be
    /// given to another guest for milliseconds. Off by default. Servers of iperf 2's protocol and of Spate.Serving do
    /// not use it.
    /// </summary>
    public bool SpinningReceive { get; init; }

    /// <summary>Traffic class byte (DSCP and ECN) of what is sent, 0 to 255; null (the default): 0.</summary>
    public int? TrafficClass { get; init; }

    /// <summary>Larger datagrams than the path's MTU are refused. Off by default.</summary>
    public bool DontFragment { get; init; }

    internal UdpSocketOptions ToSocketOptions() => new()
    {
        Backend = Backend,
        ReceiveBufferBytes = ReceiveBufferBytes,
        SendBufferBytes = SendBufferBytes,
        ForceBuffers = ForceBuffers,
        SegmentedSend = SegmentedSend,
        CoalescedReceive = CoalescedReceive ? null : false,
        TrafficClass = TrafficClass,
        Fragmentation = DontFragment ? UdpFragmentation.DontFragment : UdpFragmentation.Allowed,
    };
}

/// <summary>Whether a socket that sends to several peers can report ICMP errors (IP_RECVERR of Linux).</summary>
internal static class IcmpSupport
{
    /// <summary>Ask this before opening a socket: the portable backend refuses the option.</summary>
    public static bool IsPossible(UdpBackend backend) => OperatingSystem.IsLinux()
        && (backend == UdpBackend.Automatic ? UdpCapabilities.Current.Preferred : backend) != UdpBackend.Portable;
}
