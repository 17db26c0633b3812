using Spate.Measurement.Counting;
using Spate.Measurement.Pacing;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>What a <see cref="TestClient"/> asks for.</summary>
internal sealed record TestClientOptions
{
    /// <summary>The longest label, in characters.</summary>
    public const int MaxLabelLength = TestParameters.MaxLabelLength;

    /// <summary>The most flows of a test.</summary>
    public const int MaxFlowCount = TestParameters.MaxFlowCount;

    /// <summary>
    /// Addresses of one server. Control goes to the first; the flows go to all of them in turn. At least one.
    /// </summary>
    public required IReadOnlyList<UdpEndPoint> Servers { get; init => field = RecordList.Copy(value); }

    /// <summary>The local address to send from. Default: the system chooses.</summary>
    public UdpAddress LocalAddress { get; init; }

    /// <summary>Which end sends. Default: the client.</summary>
    public TestDirection Direction { get; init; }

    /// <summary>
    /// Sockets, each with a thread of its own for every direction: 1 to <see cref="MaxFlowCount"/>; default 1.
    /// </summary>
    public int FlowCount { get; init; } = 1;

    /// <summary>
    /// Payload bytes of every datagram, at least <see cref="TestDatagram.HeaderBytes"/>. Default:
    /// <see cref="TrafficSenderOptions.DefaultSizeBytes"/>.
    /// </summary>
    public int SizeBytes { get; init; } = TrafficSenderOptions.DefaultSizeBytes;

    /// <summary>
    /// Datagrams a second of one direction, all flows together; infinite (the default) for as fast as possible.
    /// </summary>
    public double DatagramsPerSecond { get; init; } = double.PositiveInfinity;

    /// <summary>
    /// How a flow that sends waits until datagrams are due, at both ends; null (the default) for what
    /// <see cref="PacerWait.ModeFor"/> chooses. <see cref="PaceMode.Txtime"/> is refused where the way from an end that
    /// sends does not keep times.
    /// </summary>
    public PaceMode? Pace { get; init; }

    /// <summary>
    /// The number of datagrams of one direction, all flows together, after which it ends; null (the default) for none.
    /// </summary>
    public long? DatagramCount { get; init; }

    /// <summary>How long to send; null for as long as the server allows. Default: 10 s.</summary>
    public TimeSpan? Duration { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Time between two interval reports; zero for none. Default: <see cref="IntervalReport.DefaultInterval"/>.
    /// </summary>
    public TimeSpan Interval { get; init; } = IntervalReport.DefaultInterval;

    /// <summary>CPU indexes for the client's threads, used in turn; empty (the default): the system chooses.</summary>
    public IReadOnlyList<int> Cpus { get; init => field = RecordList.Copy(value); } = RecordList.Copy<int>([]);

    /// <summary>
    /// Whether the thread of a test with one flow and one direction takes the CPU on which a bench places that end,
    /// where the server is on this host and no CPU is named: <see cref="TrafficOptions.PlacesBesidePeer"/>. Default:
    /// false.
    /// </summary>
    public bool PlacesBesidePeer { get; init; }

    /// <summary>CPU indexes for the server's threads, used in turn; empty (the default): the server chooses.</summary>
    public IReadOnlyList<int> RemoteCpus { get; init => field = RecordList.Copy(value); } = RecordList.Copy<int>([]);

    /// <summary>
    /// Whether the server chooses CPUs for its threads by its topology and interrupts. Default: false.
    /// </summary>
    public bool AutomaticRemoteCpus { get; init; }

    /// <summary>The socket buffers that the server asks for, in bytes; null (the default) for its own.</summary>
    public int? RemoteBufferBytes { get; init; }

    /// <summary>
    /// How data is moved here. Segmentation, coalescing, traffic class and fragmentation hold for the server too.
    /// </summary>
    public TransportOptions Transport { get; init; } = new();

    /// <summary>
    /// What both ends count of the data beyond its numbers. With <see cref="AccountingOptions.Verify"/> every datagram
    /// carries a checksum, for which it needs <see cref="TestDatagram.ChecksummedHeaderBytes"/>.
    /// </summary>
    public AccountingOptions Accounting { get; init; } = new();

    /// <summary>
    /// Whether the reports have all CPUs of both hosts. Off by default: those that work, or that the test uses.
    /// </summary>
    public bool ShowsAllCores { get; init; }

    /// <summary>
    /// A name for the test, which the server shows and both reports hold: at most <see cref="MaxLabelLength"/>
    /// characters. Default: none.
    /// </summary>
    public string Label { get; init; } = "";

    /// <summary>The key that the server must have too; null (the default) for none.</summary>
    public TestKey? Key { get; init; }

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(
        nameof(TestClientOptions),
        PrintMembers,
        (nameof(Servers), Servers),
        (nameof(Cpus), Cpus),
        (nameof(RemoteCpus), RemoteCpus));

    internal TestParameters ToParameters() => new()
    {
        Direction = Direction,
        Flows = FlowCount,
        SizeBytes = SizeBytes,
        DatagramsPerSecond = double.IsPositiveInfinity(DatagramsPerSecond) ? null : DatagramsPerSecond,
        DatagramCount = DatagramCount,
        Pace = Pace,
        Seconds = Duration?.TotalSeconds,
        IntervalSeconds = Interval.TotalSeconds,
        BufferBytes = RemoteBufferBytes,
        Cpus = [.. RemoteCpus],
        AutomaticCpus = AutomaticRemoteCpus,
        ForceBuffers = Transport.ForceBuffers,
        SegmentedSend = Transport.SegmentedSend,
        CoalescedReceive = Transport.CoalescedReceive,
        TrafficClass = Transport.TrafficClass,
        DontFragment = Transport.DontFragment,
        Verify = Accounting.Verify,
        DeadlineSeconds = Accounting.Deadline?.TotalSeconds,
        AllCores = ShowsAllCores,
        Label = Label,
    };

    /// <summary>Why the client cannot pace its flows as asked, in one line; null where it can.</summary>
    /// <param name="faultOf">Why the way to a server's address keeps no times; null where it does.</param>
    internal string? FindPaceFault(Func<UdpAddress, string?> faultOf) => ToParameters().SendsTimed(isClient: true)
        ? Servers.Take(FlowCount)
            .Select(server => faultOf(server.Address))
            .FirstOrDefault(static fault => fault is not null)
        : null;

    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfZero(Servers.Count, nameof(Servers));
        if (ToParameters().FindFault() is { } fault) throw new ArgumentException($"The test cannot be: {fault}.");
    }
}
