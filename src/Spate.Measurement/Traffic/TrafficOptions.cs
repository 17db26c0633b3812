using Spate.Measurement.Accounting;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Traffic;

/// <summary>What a sender and a receiver of traffic have in common.</summary>
public abstract class TrafficOptions
{
    /// <summary>The most flows of one run.</summary>
    public const int MaxFlowCount = 256;

    /// <summary>Sockets, each with a thread of its own: 1 to <see cref="MaxFlowCount"/>; default 1.</summary>
    public int FlowCount { get; init; } = 1;

    /// <summary>End after so many datagrams, all flows together; null (the default) for no such end.</summary>
    public long? DatagramCount { get; init; }

    /// <summary>End after so long; null (the default) for no such end.</summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>
    /// Time between two interval reports; zero for none. Default: <see cref="IntervalReport.DefaultInterval"/>.
    /// </summary>
    public TimeSpan Interval { get; init; } = IntervalReport.DefaultInterval;

    /// <summary>CPU indexes for the flows' threads, used in turn; empty (the default): the system chooses.</summary>
    public IReadOnlyList<int> CpuIndexes { get; init; } = [];

    /// <summary>How datagrams are moved.</summary>
    public TransportOptions Transport { get; init; } = new();

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
        Broadcast = broadcast,
    };

    /// <summary>The CPU of a flow; null when the system chooses.</summary>
    internal int? CpuOf(int flowIndex) => CpuIndexes.Count == 0 ? null : CpuIndexes[flowIndex % CpuIndexes.Count];
}

/// <summary>What a <see cref="TrafficReceiver"/> does.</summary>
public sealed class TrafficReceiverOptions : TrafficOptions
{
    /// <summary>
    /// Where to listen. Several flows share the port by SO_REUSEPORT; port 0 lets the system choose. A multicast group
    /// is joined, by the interface that its scope id names or else its route does; each flow gets all of a group.
    /// </summary>
    public UdpEndPoint Local { get; init; } = UdpEndPoint.Any(9999);
}

/// <summary>What a <see cref="TrafficSender"/> does.</summary>
public sealed class TrafficSenderOptions : TrafficOptions
{
    /// <summary>Payload bytes of a datagram where none are named: 1380.</summary>
    public const int DefaultSizeBytes = 1380;

    /// <summary>Where to send. With as many flows or more, each flow has one; else a flow serves several.</summary>
    public required IReadOnlyList<UdpEndPoint> Targets { get; init; }

    /// <summary>
    /// Payload bytes of every datagram; from <see cref="TestDatagram.HeaderBytes"/> on they are numbered.
    /// Default: <see cref="DefaultSizeBytes"/>.
    /// </summary>
    public int SizeBytes { get; init; } = DefaultSizeBytes;

    /// <summary>Datagrams a second of all flows together; infinite (the default) for as fast as possible.</summary>
    public double DatagramsPerSecond { get; init; } = double.PositiveInfinity;

    /// <summary>Whether the end is announced, which takes 80 ms.</summary>
    internal bool AnnouncesEnd { get; init; } = true;

    internal void Validate()
    {
        ValidateCommon();
        ArgumentOutOfRangeException.ThrowIfZero(Targets.Count, nameof(Targets));
        ArgumentOutOfRangeException.ThrowIfNegative(SizeBytes);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(SizeBytes, SendBatch.MaxPayloadBytes);
    }
}
