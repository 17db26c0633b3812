using System.Net.Sockets;
using Spate.Measurement.Accounting;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.Testing;

/// <summary>
/// The data of a test at one of its ends: a <see cref="TrafficSender"/>, a <see cref="TrafficReceiver"/> or both, over
/// the sockets of the flows, each run on a thread of its own. It owns the sockets.
/// </summary>
/// <remarks>One thread calls it, that of the test's control.</remarks>
internal sealed class TestTraffic : IDisposable
{
    private readonly IReadOnlyList<TestFlow> _flows;
    private readonly bool _isClient;
    private readonly bool _showsAllCores;
    private readonly TrafficSender? _sender;
    private readonly TrafficReceiver? _receiver;
    private readonly CancellationTokenSource _sendStop = new();
    private readonly CancellationTokenSource _receiveStop = new();
    private Task<TrafficReport>? _sending;
    private Task<TrafficReport>? _receiving;
    private long? _announced;

    public TestTraffic(
        TestParameters parameters,
        bool isClient,
        IReadOnlyList<TestFlow> flows,
        IReadOnlyList<int> cpuIndexes,
        TransportOptions transport,
        TimeProvider time)
    {
        _flows = flows;
        _isClient = isClient;
        _showsAllCores = parameters.AllCores;
        UdpSocket[] sockets = [.. flows.Select(static flow => flow.Socket)];
        Sockets = sockets;
        var interval = TimeSpan.FromSeconds(parameters.IntervalSeconds);
        TestDirection own = isClient ? TestDirection.Forward : TestDirection.Reverse;
        if (parameters.Direction == TestDirection.Both || parameters.Direction == own)
        {
            var options = new TrafficSenderOptions
            {
                Targets = [sockets[0].RemoteEndPoint],
                SizeBytes = parameters.SizeBytes,
                DatagramsPerSecond = parameters.DatagramsPerSecond ?? double.PositiveInfinity,
                Pace = parameters.Pace,
                FlowCount = flows.Count,
                DatagramCount = parameters.DatagramCount,
                Duration = parameters.Seconds is { } seconds ? TimeSpan.FromSeconds(seconds) : null,
                Interval = interval,
                CpuIndexes = cpuIndexes,
                ShowsAllCores = parameters.AllCores,
                Transport = transport,
                AnnouncesEnd = false,
                Checksums = parameters.Verify,
            };
            _sender = TrafficSender.Over(sockets, [.. flows.Select(StreamOut)], options, time);
        }

        if (parameters.Direction == TestDirection.Both || parameters.Direction != own)
        {
            var options = new TrafficReceiverOptions
            {
                FlowCount = flows.Count,
                Interval = interval,
                CpuIndexes = cpuIndexes,
                ShowsAllCores = parameters.AllCores,
                Transport = transport,
                Accounting = new AccountingOptions
                {
                    Verify = parameters.Verify,
                    Deadline = parameters.DeadlineSeconds is { } late ? TimeSpan.FromSeconds(late) : null,
                },
            };
            _receiver = TrafficReceiver.Over(sockets, [.. flows.Select(StreamIn)], options, time);
        }
    }

    /// <summary>The sockets of all flows.</summary>
    public UdpSocket[] Sockets { get; }

    public bool Sends => _sender is not null;

    public bool Receives => _receiver is not null;

    /// <summary>All senders have ended; true too where there are none.</summary>
    public bool HasSent => _sender is null || _sending is { IsCompleted: true };

    /// <summary>All receivers have ended; true too where there are none.</summary>
    public bool HasReceived => _receiver is null || _receiving is { IsCompleted: true };

    /// <summary>Datagrams sent so far.</summary>
    public long Sent => _sender?.CountSent() ?? 0;

    /// <summary>The other end has said how many datagrams there were.</summary>
    public bool IsAnnounced => _announced is not null;

    /// <summary>Every datagram that the other end has announced has arrived.</summary>
    public bool HasAll => _announced is { } total && _receiver?.ReadTotals().Counts.Unique >= total;

    /// <summary>What has arrived so far, and how much of it is missing.</summary>
    public (long Unique, long Lost) Received
    {
        get
        {
            SequenceCounts counts = _receiver?.ReadTotals().Counts ?? default;
            return (counts.Unique, counts.Lost);
        }
    }

    public void StartReceiving(Action<TrafficInterval>? onInterval)
    {
        if (_receiver is { } receiver) _receiving = Run(() => receiver.Run(onInterval, _receiveStop.Token));
    }

    public void StartSending(Action<TrafficInterval>? onInterval)
    {
        if (_sender is { } sender) _sending = Run(() => sender.Run(onInterval, _sendStop.Token));
    }

    public void StopSending() => _sendStop.Cancel();

    public void StopReceiving() => _receiveStop.Cancel();

    /// <summary>How many sequences each flow has used; valid once <see cref="HasSent"/>.</summary>
    public long[] Totals() => _sender?.StreamTotals() ?? new long[_flows.Count];

    /// <summary>Takes what the other end says of its flows. Returns false if that cannot be.</summary>
    public bool Announce(ReadOnlySpan<long> totals)
    {
        if (_receiver is null || totals.Length != _flows.Count) return false;

        long sum = 0;
        foreach (long total in totals)
        {
            if (total is < 0 or > TestDatagram.MaxSequence / TestParameters.MaxFlowCount) return false;
            sum += total;
        }

        for (int i = 0; i < totals.Length; i++)
        {
            _receiver.End(i, StreamIn(_flows[i]), totals[i]);
        }

        _announced = sum;
        return true;
    }

    /// <summary>The report of this end, made once; waits for the threads, which have been stopped.</summary>
    /// <exception cref="TrafficException">A flow could not run.</exception>
    public TestEndReport Report()
    {
        TrafficReport? sent = _sending?.GetAwaiter().GetResult();
        TrafficReport? received = _receiving?.GetAwaiter().GetResult();
        if (sent?.CoreSum is { } whileSending && received?.CoreSum is { } whileReceiving)
        {
            // Both watched the same CPUs: the threads of one are no other program to the other.
            sent.SetCores(whileSending.With(whileReceiving.Places), _showsAllCores);
            received.SetCores(whileReceiving.With(whileSending.Places), _showsAllCores);
        }

        return new TestEndReport
        {
            Sent = sent,
            Received = received,
            RefusedBecause = _sender is { FirstError: not SocketError.Success and var error } ? error.ToString() : null,
        };
    }

    public void Dispose()
    {
        _sendStop.Cancel();
        _receiveStop.Cancel();
        foreach (TestFlow flow in _flows)
        {
            flow.Socket.Dispose();
        }

        Await(_sending);
        Await(_receiving);
        _sendStop.Dispose();
        _receiveStop.Dispose();
    }

    private static Task<TrafficReport> Run(Func<TrafficReport> run) =>
        Task.Factory.StartNew(run, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private static void Await(Task? task)
    {
        try
        {
            task?.Wait();
        }
        catch (AggregateException)
        {
            // Told by Report, where somebody asked for it.
        }
    }

    private ulong StreamOut(TestFlow flow) => _isClient ? flow.ForwardStream : flow.ReverseStream;

    private ulong StreamIn(TestFlow flow) => _isClient ? flow.ReverseStream : flow.ForwardStream;
}
