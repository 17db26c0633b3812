using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf3.Clients;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Servers;
using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.TestHelpers.Iperf3;

/// <summary>A server on the loopback, on a thread of its own.</summary>
internal sealed class RunningIperf3Server : IDisposable
{
    /// <summary>So long for what takes a moment on an idle machine.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly CancellationTokenSource _stop = new();
    private readonly Iperf3Server _server;
    private readonly Task _run;

    public RunningIperf3Server(Iperf3ServerOptions? options = null, TimeProvider? time = null)
    {
        _server = Open((options ?? new Iperf3ServerOptions()) with
        {
            Local = new IPEndPoint(IPAddress.Loopback, 0),
            Interval = TimeSpan.Zero,
        }, time);
        _run = Task.Factory.StartNew(
            () => _server.Run(NewObserver, Notices.Enqueue, _stop.Token),
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
    }

    public IPEndPoint EndPoint => _server.LocalEndPoint;

    public ConcurrentQueue<string> Notices { get; } = [];

    /// <summary>The observers of the tests that began, in their order.</summary>
    public ConcurrentQueue<RecordingObserver> Tests { get; } = [];

    /// <summary>Done when the server has ended.</summary>
    public Task Ended => _run;

    /// <summary>A test of a hundred datagrams.</summary>
    public Iperf3ClientOptions Options() => OptionsFor(EndPoint);

    public static Iperf3ClientOptions OptionsFor(IPEndPoint server) => new()
    {
        Servers = [server],
        Interval = TimeSpan.Zero,
        Parameters = new Iperf3Parameters
        {
            Blocks = 100,
            Seconds = 0,
            LengthBytes = 64,
            BitsPerSecond = 10_000_000,
        },
    };

    /// <summary>Runs one test.</summary>
    public static Iperf3Outcome Run(Iperf3ClientOptions options, TimeProvider? time = null)
    {
        var observer = new RecordingObserver();
        Iperf3Client.Run(options, observer, time, TestContext.Current.CancellationToken);
        Assert.Equal(1, observer.EndCount);
        return observer.Outcome!;
    }

    /// <summary>Runs a test, and sees all its datagrams arrive.</summary>
    public void RunWholeTest()
    {
        Iperf3Outcome outcome = Run(Options());

        Iperf3Direction direction = Assert.Single(outcome.Directions);
        Assert.True(direction.IsExact);
        Assert.Equal(100, direction.Account.Datagrams);
        Assert.Equal(0, direction.Account.Lost);
    }

    public void Stop() => _stop.Cancel();

    public void Dispose()
    {
        _stop.Cancel();
        _run.Wait();
        _server.Dispose();
        _stop.Dispose();
    }

    // The port that TCP was given may be another socket's of UDP.
    private static Iperf3Server Open(Iperf3ServerOptions options, TimeProvider? time)
    {
        for (int left = 20; ; left--)
        {
            try
            {
                return Iperf3Server.Open(options, time);
            }
            catch (SocketException fault) when (fault.SocketErrorCode == SocketError.AddressAlreadyInUse && left > 0)
            {
                // The next one is free.
            }
        }
    }

    private RecordingObserver NewObserver()
    {
        var observer = new RecordingObserver { OutputText = "served\n" };
        Tests.Enqueue(observer);
        return observer;
    }
}
