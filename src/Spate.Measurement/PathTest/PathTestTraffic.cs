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
        EndOptions end,
        TimeProvider time)
        : base(
            [.. flows.Select(static flow => flow.Socket)],
            end with { Transport = parameters.TransportOf(end.Transport, isClient) },
            hasBothDirections: parameters.Direction == TestDirection.Both,
            TimeSpan.FromSeconds(parameters.IntervalSeconds),
            parameters.AllCores,
            time)
    {
        _flows = flows;
        _isClient = isClient;
        if (parameters.Sends(isClient))
        {
            AddSender(
                flows.Select(flow => (flow.Socket, (SendStream)new TestSendStream(
                    flow.Socket.Peer, isConnected: true, parameters.SizeBytes, StreamOut(flow), parameters.Verify))),
                SenderOptions(flows.Count) with
                {
                    SizeBytes = parameters.SizeBytes,
                    DatagramsPerSecond = parameters.DatagramsPerSecond ?? double.PositiveInfinity,
                    Pace = parameters.Pace,
                    DatagramCount = parameters.DatagramCount,
                    Duration = parameters.Seconds is { } seconds ? TimeSpan.FromSeconds(seconds) : null,
                    Checksums = parameters.Verify,
                });
        }

        if (!parameters.Sends(!isClient)) return;

        var accounting = new AccountingOptions
        {
            Verify = parameters.Verify,
            Deadline = parameters.DeadlineSeconds is { } late ? TimeSpan.FromSeconds(late) : null,
        };
        AddReceiver(
            [.. flows.Select((flow, i) => TestReceiveFlow.OfStream(i, flow.Socket, StreamIn(flow), accounting, time))],
            accounting);
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

    private ulong StreamOut(TestFlow flow) => _isClient ? flow.ForwardStream : flow.ReverseStream;

    private ulong StreamIn(TestFlow flow) => _isClient ? flow.ReverseStream : flow.ForwardStream;
}

/// <summary>One socket of a test with the streams that it carries.</summary>
internal sealed record TestFlow(UdpSocket Socket, ulong ForwardStream, ulong ReverseStream);
