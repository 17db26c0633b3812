using System.Net.Sockets;
using Spate.Measurement.Counting;

namespace Spate.Measurement.Traffic;

/// <summary>
/// The data of a test at one of its ends: a <see cref="TrafficSender"/>, a <see cref="TrafficReceiver"/> or both, each
/// run on a thread of its own. It owns the sockets. The CPUs are used in turn; none leaves the choice to the system.
/// One thread calls it, that of the test's control.
/// </summary>
internal abstract class SessionTraffic(
    UdpSocket[] sockets,
    EndOptions end,
    bool hasBothDirections,
    TimeSpan interval,
    bool showsAllCores,
    TimeProvider time) : IDisposable
{
    // A machine that starts no thread for this long has other worries than the first datagrams of a test.
    private static readonly TimeSpan MaxBeginTime = TimeSpan.FromSeconds(1);

    // Of the end, not of its runs: one of two may go on when the other is over. A client of our own protocol claims
    // them before it tells the server to begin, which would take a free one by itself.
    private readonly CpuClaim? _namedCpus =
        end.PlacesBesidePeer ? CpuClaim.TakeAll(end.Cpus.Take(sockets.Length)) : null;

    // Not for two directions: the four threads of both ends have no two CPUs for themselves.
    private readonly bool _placesRuns = end.PlacesBesidePeer && end.Cpus.Count == 0 && !hasBothDirections;

    private readonly CancellationTokenSource _sendStop = new();
    private readonly CancellationTokenSource _receiveStop = new();
    private Task<TrafficReport>? _sending;
    private Task<TrafficReport>? _receiving;

    public UdpSocket[] Sockets { get; } = sockets;

    public bool Sends => Sender is not null;

    public bool Receives => Receiver is not null;

    /// <summary>All senders have ended; true too where there are none.</summary>
    public bool HasSent => Sender is null || _sending is { IsCompleted: true };

    /// <summary>The report may not be there yet; true too where there are no senders.</summary>
    public bool IsSendingOver => HasSent || Sender is { IsOver: true };

    /// <summary>All receivers have ended; true too where there are none.</summary>
    public bool HasReceived => Receiver is null || _receiving is { IsCompleted: true };

    public long Sent => Sender?.CountSent() ?? 0;

    protected TrafficSender? Sender { get; private set; }

    protected TrafficReceiver? Receiver { get; private set; }

    /// <summary>Returns once threads wait: what comes earlier fills the buffer, at full rate in 2 ms.</summary>
    public void StartReceiving(Action<TrafficInterval>? onInterval)
    {
        if (Receiver is not { } receiver) return;

        _receiving = Run(() => receiver.Run(onInterval, _receiveStop.Token));
        _ = SpinWait.SpinUntil(() => HasReceived || receiver.HasBegun, MaxBeginTime);
    }

    /// <summary>Returns once the threads send, so that their start is no part of a time that begins now.</summary>
    public void StartSending(Action<TrafficInterval>? onInterval)
    {
        if (Sender is not { } sender) return;

        _sending = Run(() => sender.Run(onInterval, _sendStop.Token));
        _ = SpinWait.SpinUntil(() => HasSent || sender.HasBegun, MaxBeginTime);
    }

    public void StopSending() => _sendStop.Cancel();

    public void StopReceiving() => _receiveStop.Cancel();

    /// <summary>The report of this end, made once; waits for the threads, which have been stopped.</summary>
    public TestEndReport Report()
    {
        TestEndReport report = SenderReport();
        TrafficReport? received = _receiving?.GetAwaiter().GetResult();
        if (report.Sent?.CoreSum is { } whileSending && received?.CoreSum is { } whileReceiving)
        {
            // Both watched the same CPUs: the threads of one are no other program to the other.
            report.Sent.SetCores(whileSending.With(whileReceiving.Places), showsAllCores);
            received.SetCores(whileReceiving.With(whileSending.Places), showsAllCores);
        }

        return report with { Received = received };
    }

    /// <summary>Once <see cref="HasSent"/>; what was received is null.</summary>
    public TestEndReport SenderReport() => new()
    {
        Sent = _sending?.GetAwaiter().GetResult(),
        RefusedBecause = Sender is { FirstError: not SocketError.Success and var error } ? error.ToString() : null,
    };

    /// <summary>The options that all senders of a test share.</summary>
    protected TrafficSenderOptions SenderOptions(int flowCount) => new()
    {
        Targets = [Sockets[0].Peer],
        FlowCount = flowCount,
        Interval = interval,
        Cpus = end.Cpus,
        PlacesBesidePeer = _placesRuns,
        ShowsAllCores = showsAllCores,
        Transport = end.Transport,
        AnnouncesEnd = false,
    };

    protected SendFlow[] AddSender(
        IEnumerable<(UdpSocket Socket, SendStream Stream)> streams, TrafficSenderOptions options)
    {
        SendFlow[] flows = [.. streams.Select((one, i) => SendFlow.Over(one.Socket, one.Stream, options, i, time))];
        Sender = TrafficSender.Over(flows, options, time);
        return flows;
    }

    protected void AddReceiver(ReceiveFlow[] flows, AccountingOptions accounting) => Receiver = TrafficReceiver.Over(
        flows,
        new TrafficReceiverOptions
        {
            FlowCount = flows.Length,
            Interval = interval,
            Cpus = end.Cpus,
            PlacesBesidePeer = _placesRuns,
            ShowsAllCores = showsAllCores,
            Transport = end.Transport,
            Accounting = accounting,
        },
        time);

    public void Dispose()
    {
        _sendStop.Cancel();
        _receiveStop.Cancel();
        Array.ForEach(Sockets, static socket => socket.Dispose());
        Await(_sending);
        Await(_receiving);
        _sendStop.Dispose();
        _receiveStop.Dispose();
        _namedCpus?.Dispose();
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
}
