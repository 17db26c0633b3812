using Spate.Cli.Iperf.Iperf2.Ends;

namespace Spate.TestHelpers.Iperf2;

/// <summary>A server on a thread of its own, on loopback.</summary>
internal sealed class RunningIperf2Server : IDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _run;

    public RunningIperf2Server(Iperf2ServerOptions? options = null, TimeProvider? time = null)
    {
        Server = Iperf2Server.Open(
            (options ?? new Iperf2ServerOptions()) is var given && given.Local.Port == Iperf2ClientOptions.DefaultPort
                ? given with { Local = UdpEndPoint.Loopback(0) }
                : given,
            time);
        _run = Task.Factory.StartNew(
            () => Server.Run(Observer, _stop.Token),
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
    }

    public RecordingObserver Observer { get; } = new();

    public Iperf2Server Server { get; }

    public UdpEndPoint EndPoint => Server.LocalEndPoint;

    /// <summary>Ends the server, which then has told all.</summary>
    public void Stop()
    {
        _stop.Cancel();
        _run.Wait();
    }

    public void Dispose()
    {
        Stop();
        Server.Dispose();
        _stop.Dispose();
    }
}
