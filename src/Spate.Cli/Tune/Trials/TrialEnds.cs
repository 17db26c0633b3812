using System.Net.Sockets;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Tune.Trials;

/// <summary>The two ends between which trials are measured. One thread uses them.</summary>
internal abstract class TrialEnds : IDisposable
{
    // Of two short runs as fast as possible the better one is near what the host can do, and the load stays below it:
    // what is lost then is lost to a limit, and not to a host that has too much to do. The nearer, the clearer: with a
    // receive buffer of 212,992 bytes, two CPUs lost 0.1 to 1.7 % at 150,000 a second, and 7 to 9 % at 250,000.
    private const double ShareOfHighest = 0.9;
    private const int FastRuns = 2;

    private static readonly TimeSpan FastDuration = TimeSpan.FromMilliseconds(500);

    public abstract string Description { get; }

    /// <summary>The time beside the measurement: a handshake, the last datagrams and the reports.</summary>
    public virtual TimeSpan SetUpTime { get; } = TimeSpan.FromMilliseconds(300);

    public abstract TrialSample Measure(
        TrialLoad load, IReadOnlyList<int> cpus, CancellationToken cancellationToken);

    /// <summary>Finds a rate that is some 90 % of the highest one between the ends.</summary>
    /// <param name="load">The load, of which the rate is not used.</param>
    /// <returns>Datagrams a second, with two digits that are not 0.</returns>
    public double FindRate(TrialLoad load, CancellationToken cancellationToken)
    {
        TrialLoad fast = load with { DatagramsPerSecond = double.PositiveInfinity, Duration = FastDuration };
        double highest = 0;
        for (int i = 0; i < FastRuns; i++)
        {
            highest = Math.Max(highest, Measure(fast, [], cancellationToken).DatagramsPerSecond);
        }

        double rate = Math.Max(1, ShareOfHighest * highest);
        double unit = Math.Pow(10, Math.Floor(Math.Log10(rate)) - 1);
        return Math.Max(1, Math.Floor(rate / unit) * unit);
    }

    public abstract void Dispose();
}

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

    public override void Dispose()
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
        Parameters = new TestParameters
        {
            Direction = IsLocal ? TestDirection.Forward : TestDirection.Both,
            SizeBytes = load.SizeBytes,
            DatagramsPerSecond = double.IsPositiveInfinity(load.DatagramsPerSecond) ? null : load.DatagramsPerSecond,
            Seconds = load.Duration.TotalSeconds,
            IntervalSeconds = 0,
            Cpus = [.. cpus.Skip(1)],
            BufferBytes = TrialLoad.BufferBytes,
            ForceBuffers = false,
            SegmentedSend = !IsLocal,
        },
        Cpus = [.. cpus.Take(1)],
        Transport = new TransportOptions { BufferBytes = TrialLoad.BufferBytes },
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
