using Spate.Cli.Iperf.Iperf2.Results;

namespace Spate.Cli.Iperf.Iperf2.Ends;

/// <summary>Counts what a server sends back to a client, on a thread of its own and from that server alone.</summary>
internal sealed class Iperf2ReverseReceiver : IIperf2Observer, IDisposable
{
    // The server of iperf 2.1.8 begins 250 ms after the end of what came.
    private static readonly TimeSpan StartPatience = TimeSpan.FromSeconds(2);

    private readonly Iperf2Server _server;
    private readonly TimeProvider _time;
    private readonly IIperf2Observer _observer;
    private readonly CancellationTokenSource _stop = new();
    private readonly AutoResetEvent _changed = new(initialState: false);
    private readonly Thread _thread;
    private int _started;
    private int _finished;

    /// <summary>The server stays its owner's to close. The observer is called from another thread.</summary>
    public Iperf2ReverseReceiver(Iperf2Server server, IIperf2Observer observer, TimeProvider time)
    {
        _server = server;
        _observer = observer;
        _time = time;
        _thread = new Thread(Listen) { IsBackground = true, Name = "spate reverse" };
        _thread.Start();
    }

    /// <summary>Flows that came back to their end, or until they fell silent.</summary>
    public int Finished => Volatile.Read(ref _finished);

    public bool IsBusy => Volatile.Read(ref _started) > Finished;

    public static Iperf2ServerOptions ToServer(Iperf2ClientOptions options)
    {
        UdpEndPoint any = options.Server.IsIPv6 ? UdpEndPoint.IPv6Any(0) : UdpEndPoint.Any(0);
        return new Iperf2ServerOptions
        {
            Local = (options.Local.IsDefault ? any : options.Local).WithPort(options.ListenPort ?? options.Server.Port),
            OnlyFrom = options.Server.Address,
            NamedBefore = options.FlowCount,
            Interval = options.Interval,
            Transport = options.Transport,
        };
    }

    /// <summary>Waits for the flows of the server, from the end of the client's own on.</summary>
    public void Await(int flowCount, TimeSpan longest, CancellationToken cancellationToken)
    {
        long startTicks = _time.GetTimestamp();
        long changedTicks = startTicks;
        WaitHandle[] handles = [cancellationToken.WaitHandle, _changed];
        while (Finished < flowCount && _thread.IsAlive && !cancellationToken.IsCancellationRequested)
        {
            TimeSpan left = IsBusy
                ? longest - _time.GetElapsedTime(startTicks)
                : StartPatience - _time.GetElapsedTime(changedTicks);
            if (left <= TimeSpan.Zero) return;

            if (WaitHandle.WaitAny(handles, left) == 1) changedTicks = _time.GetTimestamp();
        }
    }

    public void Dispose()
    {
        _stop.Cancel();
        _thread.Join();
        _stop.Dispose();
        _changed.Dispose();
    }

    void IIperf2Observer.Start(Iperf2Stream stream)
    {
        Interlocked.Increment(ref _started);
        _observer.Start(stream with { IsReverse = true });
        _changed.Set();
    }

    void IIperf2Observer.Report(Iperf2Interval interval) => _observer.Report(interval);

    void IIperf2Observer.Finish(Iperf2Received received)
    {
        _observer.Finish(received with { Stream = received.Stream with { IsReverse = true } });
        Interlocked.Increment(ref _finished);
        _changed.Set();
    }

    void IIperf2Observer.Finish(IReadOnlyList<Iperf2Sent> flows) => _observer.Finish(flows);

    void IIperf2Observer.Notice(string message) => _observer.Notice(message);

    private void Listen()
    {
        try
        {
            _server.Run(this, _stop.Token);
        }
        catch (Exception fault)
        {
            // A fault here would end the process; what the client sent still has its report.
            _observer.Notice($"what the server sends back was lost: {fault.Message}");
        }

        _changed.Set();
    }
}
