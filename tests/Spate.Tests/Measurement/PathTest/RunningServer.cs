using System.Collections.Concurrent;
using Spate.Measurement.PathTest;

namespace Spate.Tests.Measurement.PathTest;

/// <summary>A server of tests on the loopback, on a thread of its own.</summary>
internal sealed class RunningServer : IDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _run;

    public RunningServer(
        TestServerOptions? options = null, UdpEndPoint local = default, TimeProvider? time = null)
    {
        Server = TestServer.Open(
            (options ?? new TestServerOptions()) with
            {
                Local = local.IsDefault ? UdpEndPoint.Loopback(0) : local,
            },
            time);
        _run = Task.Factory.StartNew(
            () => Server.Run(Notices.Enqueue, _stop.Token),
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
    }

    public TestServer Server { get; }

    /// <summary>Done when the server has ended.</summary>
    public Task Ended => _run;

    public UdpEndPoint EndPoint => Server.LocalEndPoint;

    public ConcurrentQueue<string> Notices { get; } = [];

    /// <summary>A test of a few datagrams, which a test may change.</summary>
    public TestClientOptions Options(int datagramCount = 2000) => new()
    {
        Servers = [EndPoint],
        Parameters = new TestParameters
        {
            SizeBytes = 64,
            DatagramCount = datagramCount,
            DatagramsPerSecond = 50_000,
            Seconds = 20,
        },
    };

    /// <summary>Runs one test.</summary>
    public static TestReport Run(TestClientOptions options)
    {
        using TestClient client = TestClient.Connect(
            options, cancellationToken: TestContext.Current.CancellationToken);
        return client.Run(cancellationToken: TestContext.Current.CancellationToken);
    }

    public void Dispose()
    {
        _stop.Cancel();
        _run.Wait();
        Server.Dispose();
        _stop.Dispose();
    }
}
