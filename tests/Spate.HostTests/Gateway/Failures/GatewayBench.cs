using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using Spate.Gateway;
using Spate.HostTests.Gateway.Brokers;
using Spate.TestHelpers.Gateways;

namespace Spate.HostTests.Gateway.Failures;

/// <summary>A gateway with a sender, and a reader of what it stored.</summary>
internal sealed class GatewayBench : IAsyncDisposable
{
    // A quarter of what the memory holds.
    private const int MaxInFlight = 20_000;

    private readonly Socket _sender = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly byte[] _payload = new byte[200];
    private readonly BrokerCluster _cluster;
    private readonly string _name;
    private long _number;

    private GatewayBench(BrokerCluster cluster, string name, UdpGateway gateway)
    {
        (_cluster, _name, Gateway) = (cluster, name, gateway);
        _sender.Connect(gateway.LocalEndPoints[0].ToIPEndPoint());
    }

    public UdpGateway Gateway { get; }

    /// <summary>Datagrams sent. The loopback and the buffers are large enough for a test's bursts.</summary>
    public long Sent => _number;

    public static async Task<GatewayBench> StartAsync(
        BrokerCluster cluster, string name, Func<UdpGatewayOptions, UdpGatewayOptions>? change = null)
    {
        var options = new UdpGatewayOptions
        {
            LocalEndPoints = [UdpEndPoint.FromIPEndPoint(new IPEndPoint(IPAddress.Loopback, 0))],
            Target = GatewayTarget.Parse(cluster.Target),
            Credentials = cluster.Credentials,
            QueueName = name,
            Id = "bench",
            ThreadCount = 1,
            MemoryBytes = 16 << 20,
            PackBytes = 32 * 1024,
            PackWait = TimeSpan.FromMilliseconds(5),
            StalledAfter = TimeSpan.FromMilliseconds(500),
        };
        UdpGateway gateway = await UdpGateway.StartAsync(
            change?.Invoke(options) ?? options, TestContext.Current.CancellationToken);
        return new GatewayBench(cluster, name, gateway);
    }

    /// <summary>Sends a small burst.</summary>
    public void Send() => Send(200);

    public void Send(int count)
    {
        for (int i = 0; i < count; i++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(_payload, _number++);
            _sender.Send(_payload);
        }
    }

    /// <summary>
    /// Sends random bytes of random sizes: mostly small, some of none, some larger than a message can hold, and some
    /// that begin as a message of the gateway's own does.
    /// </summary>
    public void SendRandom(Random random, int count)
    {
        byte[] payload = new byte[60_000];
        for (int i = 0; i < count; i++)
        {
            int size = random.Next(100) == 0 ? random.Next(payload.Length) : random.Next(300);
            random.NextBytes(payload.AsSpan(0, size));
            if (size >= 5 && i % 7 == 0) "SPGW\u0001"u8.CopyTo(payload);
            _sender.Send(payload.AsSpan(0, size));
        }
    }

    /// <summary>
    /// Sends until so many datagrams are committed, and pauses where the broker is so slow that the memory fills up.
    /// </summary>
    public Task<GatewayStatistics> CommitAsync(long count) => Gateway.UntilAsync(
        now => now.Committed >= count,
        () =>
        {
            if (Gateway.GetStatistics().InFlight < MaxInFlight) Send();
        });

    /// <summary>Stops the gateway; the account must be even, with nothing in flight.</summary>
    public async Task<GatewayStatistics> StopAsync(TimeSpan? drain = null)
    {
        GatewayStatistics done = await Gateway.StopAsync(
            drain ?? TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
        Assert.Equal((0L, 0L), (done.Difference, done.InFlight));
        Assert.Equal(done.Accepted, done.Committed + done.Dropped + done.InDoubt);
        return done;
    }

    /// <summary>Stops the gateway and reads the stream: it has all that was accepted, in order.</summary>
    public async Task<GatewayStatistics> AssertAllStoredAsync()
    {
        GatewayStatistics done = await StopAsync();
        GatewayFindings findings = await ReadAsync();

        Assert.Equal(done.Accepted, done.Committed);
        Assert.True(findings.IsComplete);
        Assert.Equal(done.Committed, findings.Datagrams);
        Assert.Equal(0L, Assert.Single(findings.Keys).Reordered);
        return done;
    }

    /// <summary>Reads the stream from its beginning.</summary>
    public Task<GatewayFindings> ReadAsync() => ReadAsync(_cluster, _name);

    public static Task<GatewayFindings> ReadAsync(
        BrokerCluster cluster, string name, GatewayRecordCallback? visit = null) => GatewayReader.ReadAsync(
        new GatewayReaderOptions
        {
            Target = GatewayTarget.Parse(cluster.Target),
            Credentials = cluster.Credentials,
            StreamName = name,
            ConnectTimeout = TimeSpan.FromSeconds(60),
        },
        visit ?? (static (in GatewayRecord _) => { }),
        TestContext.Current.CancellationToken);

    public async ValueTask DisposeAsync()
    {
        await Gateway.StopAsync(TimeSpan.Zero);
        _sender.Dispose();
    }
}
