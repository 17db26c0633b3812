using Spate.Measurement.Counting;
using Spate.Measurement.Pacing;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>What a <see cref="TestClient"/> asks for.</summary>
internal sealed record TestClientOptions
{
    public const int MaxLabelLength = TestParameters.MaxLabelLength;

    public const int MaxFlowCount = TestParameters.MaxFlowCount;

    /// <summary>Of one server, at least one. Control goes to the first; the flows go to all of them in turn.</summary>
    public required IReadOnlyList<UdpEndPoint> Servers { get; init => field = RecordList.Copy(value); }

    /// <summary>The local address to send from. Default: the system chooses.</summary>
    public UdpAddress LocalAddress { get; init; }

    public TestDirection Direction { get; init; }

    /// <summary>Each with a thread for every direction: 1 to <see cref="MaxFlowCount"/>; default 1.</summary>
    public int FlowCount { get; init; } = 1;

    /// <summary>Of payload, at least <see cref="TestDatagram.HeaderBytes"/>.</summary>
    public int SizeBytes { get; init; } = TrafficSenderOptions.DefaultSizeBytes;

    /// <summary>Of one direction, all flows together; infinite (the default) for as fast as possible.</summary>
    public double DatagramsPerSecond { get; init; } = double.PositiveInfinity;

    /// <summary>How flows wait, at both ends; null for what <see cref="PacerWait.ModeFor"/> chooses.</summary>
    public PaceMode? Pace { get; init; }

    /// <summary>Of one direction, all flows together, after which it ends; null (the default) for none.</summary>
    public long? DatagramCount { get; init; }

    /// <summary>How long to send; null for as long as the server allows. Default: 10 s.</summary>
    public TimeSpan? Duration { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Between two interval reports; zero for none.</summary>
    public TimeSpan Interval { get; init; } = IntervalReport.DefaultInterval;

    /// <summary>CPU indexes for the client's threads, used in turn; empty (the default): the system chooses.</summary>
    public IReadOnlyList<int> Cpus { get; init => field = RecordList.Copy(value); } = RecordList.Copy<int>([]);

    /// <summary>See <see cref="TrafficOptions.PlacesBesidePeer"/>; for one flow and direction, no CPU named.</summary>
    public bool PlacesBesidePeer { get; init; }

    /// <summary>CPU indexes for the server's threads, used in turn; empty (the default): the server chooses.</summary>
    public IReadOnlyList<int> RemoteCpus { get; init => field = RecordList.Copy(value); } = RecordList.Copy<int>([]);

    /// <summary>By its topology and interrupts. Default: false.</summary>
    public bool AutomaticRemoteCpus { get; init; }

    /// <summary>The socket buffers that the server asks for, in bytes; null (the default) for its own.</summary>
    public int? RemoteBufferBytes { get; init; }

    /// <summary>Segmentation, coalescing, traffic class and fragmentation hold for the server too.</summary>
    public TransportOptions Transport { get; init; } = new();

    /// <summary><see cref="AccountingOptions.Verify"/> needs room for a checksum in every datagram.</summary>
    public AccountingOptions Accounting { get; init; } = new();

    /// <summary>Off: the CPUs of both hosts that work, or that the test uses.</summary>
    public bool ShowsAllCores { get; init; }

    /// <summary>Shown by the server, held by both reports: at most <see cref="MaxLabelLength"/> long.</summary>
    public string Label { get; init; } = "";

    /// <summary>The key that the server must have too; null (the default) for none.</summary>
    public TestKey? Key { get; init; }

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

    /// <summary>Why the client cannot pace as asked, or null; the function tells of the way to an address.</summary>
    internal string? FindPaceFault(Func<UdpAddress, string?> faultOf) => ToParameters().SendsTimed(isClient: true)
        ? Servers.Take(FlowCount)
            .Select(server => faultOf(server.Address))
            .FirstOrDefault(static fault => fault is not null)
        : null;

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfZero(Servers.Count, nameof(Servers));
        if (ToParameters().FindFault() is { } fault) throw new ArgumentException($"The test cannot be: {fault}.");
    }
}
