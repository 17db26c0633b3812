using Spate.Measurement.Counting;
using Spate.Measurement.Pacing;

namespace Spate.Measurement.Traffic;

/// <summary>The options that a sender and a receiver of traffic share.</summary>
internal abstract class TrafficOptions
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

    /// <summary>CPU indexes for the flows' threads, used in turn; empty (the default): the system chooses.</summary>
    public IReadOnlyList<int> Cpus { get; init => field = RecordList.Copy(value); } = RecordList.Copy<int>([]);

    /// <summary>
    /// Whether a run of one flow whose peer is on this host takes the CPU on which a bench places that end, where
    /// <see cref="Cpus"/> is empty and no other end has claimed it. A receiver that anyone may send to does so at
    /// the first datagram. CPUs that are named are claimed too. Linux only. Default: false.
    /// </summary>
    public bool PlacesBesidePeer { get; init; }

    /// <summary>Off: those CPUs that work, or that the run uses.</summary>
    public bool ShowsAllCores { get; init; }

    public TransportOptions Transport { get; init; } = new();

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
internal sealed class TrafficReceiverOptions : TrafficOptions
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
internal sealed class TrafficSenderOptions : TrafficOptions
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
