using System.Net.Sockets;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Tune.Trials;

/// <summary>
/// The ends of a test in this process: client and server on the loopback, or the client of a server that runs already.
/// Every measurement opens its data sockets anew, so that a changed limit holds for them.
/// </summary>
internal sealed class TestEnds : TrialEnds
{
    private static readonly TimeSpan MaxStopTime = TimeSpan.FromSeconds(10);

    private readonly TestServer? _server;
    private readonly Thread? _thread;
    private readonly CancellationTokenSource _stop = new();
    private readonly UdpEndPoint _target;

    private TestEnds(UdpEndPoint target, string description, TestServer? server)
    {
        (_target, Description, _server) = (target, description, server);
        if (server is null) return;

        _thread = new Thread(Serve) { IsBackground = true, Name = "spate trial server" };
        _thread.Start();
    }

    public override string Description { get; }

    private bool IsLocal => _server is not null;

    public static TestEnds OnLoopback()
    {
        var server = TestServer.Open(new TestServerOptions { Local = UdpEndPoint.Loopback(0) });
        return new TestEnds(server.LocalEndPoint, "over the loopback", server);
    }

    /// <summary>This host and a <c>spate test -s</c>; both send.</summary>
    public static TestEnds With(UdpEndPoint server) => new(server, "with the server at the other end", server: null);

    public override TrialSample Measure(TrialLoad load, IReadOnlyList<int> cpus, CancellationToken cancellationToken)
    {
        try
        {
            using var client = TestClient.Connect(OptionsOf(load, cpus), cancellationToken: cancellationToken);
            TestReport report = client.Run(onInterval: null, cancellationToken);
            cancellationToken.ThrowIfCancellationRequested();
            return TrialSample.Of(report);
        }
        catch (TrafficException) when (cancellationToken.IsCancellationRequested)
        {
            throw new OperationCanceledException(cancellationToken);
        }
    }

    protected override void Close()
    {
        _stop.Cancel();
        _ = _thread?.Join(MaxStopTime);
        _server?.Dispose();
        _stop.Dispose();
    }

    // Datagrams come one by one, as from a network: a GSO message is charged to a buffer as one, so that even a small
    // one holds many.
    private TestClientOptions OptionsOf(TrialLoad load, IReadOnlyList<int> cpus) => new()
    {
        Servers = [_target],
        Direction = IsLocal ? TestDirection.Forward : TestDirection.Both,
        SizeBytes = load.SizeBytes,
        DatagramsPerSecond = load.DatagramsPerSecond,
        Duration = load.Duration,
        Interval = TimeSpan.Zero,
        Cpus = [.. cpus.Take(1)],
        RemoteCpus = [.. cpus.Skip(1)],
        RemoteBufferBytes = TrialLoad.BufferBytes,
        Transport = new TransportOptions
        {
            BufferBytes = TrialLoad.BufferBytes,
            ForceBuffers = false,
            SegmentedSend = !IsLocal,
        },
    };

    private void Serve()
    {
        try
        {
            _server!.Run(cancellationToken: _stop.Token);
        }
        catch (SocketException)
        {
            // The client says that the server does not answer.
        }
    }
}
