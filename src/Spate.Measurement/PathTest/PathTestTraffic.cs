using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>The data of a test between two ends that both run this program, over the sockets of its flows.</summary>
internal sealed class PathTestTraffic : SessionTraffic
{
    private readonly IReadOnlyList<TestFlow> _flows;
    private readonly bool _isClient;
    private long? _announced;

    public PathTestTraffic(
        TestParameters parameters,
        bool isClient,
        IReadOnlyList<TestFlow> flows,
        IReadOnlyList<int> cpus,
        bool placesBesidePeer,
        TransportOptions transport,
        TimeProvider time)
        : base(
            [.. flows.Select(static flow => flow.Socket)],
            cpus,
            placesBesidePeer,
            hasBothDirections: parameters.Direction == TestDirection.Both,
            parameters.AllCores)
    {
        _flows = flows;
        _isClient = isClient;
        TestDirection own = isClient ? TestDirection.Forward : TestDirection.Reverse;
        bool hasBoth = parameters.Direction == TestDirection.Both;
        if (hasBoth || parameters.Direction == own) Sender = MakeSender(parameters, cpus, transport, time);
        if (hasBoth || parameters.Direction != own) Receiver = MakeReceiver(parameters, cpus, transport, time);
    }

    public bool IsAnnounced => _announced is not null;

    public bool HasAll => _announced is { } total && Receiver?.ReadTotals().Counts.Unique >= total;

    public (long Unique, long Lost) Received
    {
        get
        {
            SequenceCounts counts = Receiver?.ReadTotals().Counts ?? default;
            return (counts.Unique, counts.Lost);
        }
    }

    /// <summary>How many sequences each flow has used; valid once <see cref="SessionTraffic.HasSent"/>.</summary>
    public long[] Totals() => Sender?.StreamTotals() ?? new long[_flows.Count];

    /// <summary>Takes what the other end says of its flows. Returns false if that cannot be.</summary>
    public bool Announce(ReadOnlySpan<long> totals)
    {
        if (Receiver is null || totals.Length != _flows.Count) return false;

        long sum = 0;
        foreach (long total in totals)
        {
            if (total is < 0 or > TestDatagram.MaxSequence / TestParameters.MaxFlowCount) return false;
            sum += total;
        }

        for (int i = 0; i < totals.Length; i++)
        {
            Receiver.End(i, StreamIn(_flows[i]), totals[i]);
        }

        _announced = sum;
        return true;
    }

    private TrafficSender MakeSender(
        TestParameters parameters, IReadOnlyList<int> cpus, TransportOptions transport, TimeProvider time)
    {
        var options = new TrafficSenderOptions
        {
            Targets = [Sockets[0].Peer],
            SizeBytes = parameters.SizeBytes,
            DatagramsPerSecond = parameters.DatagramsPerSecond ?? double.PositiveInfinity,
            Pace = parameters.Pace,
            FlowCount = _flows.Count,
            DatagramCount = parameters.DatagramCount,
            Duration = parameters.Seconds is { } seconds ? TimeSpan.FromSeconds(seconds) : null,
            Interval = TimeSpan.FromSeconds(parameters.IntervalSeconds),
            Cpus = cpus,
            PlacesBesidePeer = PlacesBesidePeer,
            ShowsAllCores = parameters.AllCores,
            Transport = transport,
            AnnouncesEnd = false,
            Checksums = parameters.Verify,
        };
        return TrafficSender.Over(
            [.. _flows.Select((flow, i) => SendFlow.Over(
                flow.Socket,
                new TestSendStream(
                    flow.Socket.Peer,
                    isConnected: true,
                    parameters.SizeBytes,
                    StreamOut(flow),
                    parameters.Verify),
                options,
                i,
                time))],
            options,
            time);
    }

    private TrafficReceiver MakeReceiver(
        TestParameters parameters, IReadOnlyList<int> cpus, TransportOptions transport, TimeProvider time)
    {
        AccountingOptions accounting = AccountingOf(parameters);
        var options = new TrafficReceiverOptions
        {
            FlowCount = _flows.Count,
            Interval = TimeSpan.FromSeconds(parameters.IntervalSeconds),
            Cpus = cpus,
            PlacesBesidePeer = PlacesBesidePeer,
            ShowsAllCores = parameters.AllCores,
            Transport = transport,
            Accounting = accounting,
        };
        return TrafficReceiver.Over(
            [.. _flows.Select((flow, i) => TestReceiveFlow.OfStream(
                i, flow.Socket, StreamIn(flow), accounting, time))],
            options,
            time);
    }

    private static AccountingOptions AccountingOf(TestParameters parameters) => new()
    {
        Verify = parameters.Verify,
        Deadline = parameters.DeadlineSeconds is { } late ? TimeSpan.FromSeconds(late) : null,
    };

    private ulong StreamOut(TestFlow flow) => _isClient ? flow.ForwardStream : flow.ReverseStream;

    private ulong StreamIn(TestFlow flow) => _isClient ? flow.ReverseStream : flow.ForwardStream;
}

/// <summary>One socket of a test with the streams that it carries.</summary>
internal sealed record TestFlow(UdpSocket Socket, ulong ForwardStream, ulong ReverseStream);
