using Spate.Diagnostics;
using Spate.Serving;
using Spate.Serving.Lifetime;
using Spate.TestHelpers.Diagnostics;
using Spate.Tests.Diagnostics;

namespace Spate.Tests.Serving.Lifetime;

/// <summary>What servers tell the meter "Spate".</summary>
[ProcessWide("the meter sums up all servers of the process")]
public sealed class ServerMetricsTests
{
    private const int Sent = 50;

    [Fact]
    public async Task Handled_NamedServer_IsCountedAndStaysOnceStopped()
    {
        const string name = "meter-handled";
        using Signal handled = new(Sent);
        await using UdpServer server = Start(name, _ => new TestHandler
        {
            Datagrams = (batch, _) =>
            {
                for (int i = 0; i < batch.Count; i++) handled.Set();
            },
        });
        Send(server);
        Assert.True(handled.Wait());
        Dictionary<string, long> running = MeterReadings.Collect();
        await StopAsync(server);
        Dictionary<string, long> stopped = MeterReadings.Collect();

        Assert.Equal(1, running[$"spate.server.thread.count/{name}"]);
        Assert.Equal(1, running[$"spate.socket.count/{name}"]);
        Assert.Equal(0, stopped[$"spate.server.thread.count/{name}"]);
        foreach (Dictionary<string, long> values in new[] { running, stopped })
        {
            Assert.Equal(Sent, values[$"spate.handler.datagram.count/{name}"]);
            Assert.Equal(Sent, values[$"spate.datagram.count/receive/{name}"]);
            Assert.Equal(0, values[$"spate.handler.fault.count/{name}"]);
        }
    }

    [Fact]
    public async Task Handler_Throws_FaultsAndDropsReachTheMeter()
    {
        const string name = "meter-faults";
        await using UdpServer server = Start(
            name,
            _ => new TestHandler
            {
                Datagrams = (batch, replies) =>
                {
                    foreach (Datagram datagram in batch) Assert.True(replies.TryAdd([1], datagram.Peer));
                    throw new FormatException("Bad datagram.");
                },
            });
        Send(server);
        UdpServerStatistics statistics = await StopAsync(server);

        Dictionary<string, long> values = MeterReadings.Collect();
        Assert.Equal(Sent, statistics.Threads.Sum(thread => thread.DatagramsFaulted));
        Assert.Equal(Sent, values[$"spate.drop.count/handler/datagram/{name}"]);
        Assert.Equal(Sent, values[$"spate.drop.count/reply/datagram/{name}"]);
        Assert.Equal(
            statistics.Threads.Sum(thread => thread.HandlerFaults), values[$"spate.handler.fault.count/{name}"]);
    }

    [Fact]
    public async Task Channel_FullThenUnread_EachHasItsPlaceAlsoAfterTheStop()
    {
        const int capacity = 10;
        const string name = "meter-channel";
        UdpChannelHandler? handler = null;
        await using UdpServer server = Start(
            name, shard => handler = new UdpChannelHandler(shard, new() { Capacity = capacity }));
        Send(server);
        Assert.Equal(Sent - capacity, (await StopAsync(server)).ChannelDrops);
        Assert.Equal(Sent - capacity, MeterReadings.Collect()[$"spate.drop.count/channel_full/datagram/{name}"]);

        handler!.DropUnread();

        Assert.Equal(capacity, MeterReadings.Collect()[$"spate.drop.count/channel_unread/datagram/{name}"]);
    }

    [Fact]
    public async Task Sessions_PrefixLimit_IsSeenInMeterTableAndStatistics()
    {
        const string name = "meter-sessions";
        const int burst = 5, peerCount = 8;
        using Signal asked = new(1);
        using var events = new SpateEvents();
        SessionTable<int>? table = null;
        await using UdpServer server = Start(name, shard =>
        {
            table = shard.CreateSessionTable<int>(new() { NewSessionsBurstPerPrefix = burst });
            return new TestHandler
            {
                Datagrams = (_, _) =>
                {
                    if (table.Count > 0) return;
                    for (int i = 1; i <= peerCount; i++) table.GetOrAdmit(UdpEndPoint.Parse($"192.0.2.{i}:9"), out _);
                    asked.Set();
                },
            };
        });
        Send(server);
        Assert.True(asked.Wait());

        Dictionary<string, long> running = MeterReadings.Collect();
        UdpServerStatistics statistics = server.GetStatistics();
        await StopAsync(server);
        Dictionary<string, long> stopped = MeterReadings.Collect();

        Assert.Equal(new SessionRefusals { ByPrefix = peerCount - burst }, table!.Refusals);
        Assert.Equal((burst, table.Refusals), (statistics.SessionCount, statistics.SessionsRefused));
        Assert.Contains(
            events.Written, written => written.Name is "SessionsRefused" && written.Payload[2] is name);
        Assert.Equal(burst, running[$"spate.session.count/{name}"]);
        Assert.Equal(0, stopped[$"spate.session.count/{name}"]);
        Assert.Equal(peerCount - burst, running[$"spate.session.refused/prefix/{name}"]);
        Assert.Equal(peerCount - burst, stopped[$"spate.session.refused/prefix/{name}"]);
        Assert.Equal(0, stopped[$"spate.session.refused/full/{name}"]);
    }

    /// <summary>The table of instruments and the account of a server mean the same by each figure.</summary>
    [Fact]
    public void Collect_EachFigureWithAValueOfItsOwn_StandsAtItsInstrument()
    {
        const string name = "meter-figures";
        Dictionary<ServerMetric, string> places = new()
        {
            [ServerMetric.Threads] = "spate.server.thread.count",
            [ServerMetric.Handled] = "spate.handler.datagram.count",
            [ServerMetric.Faults] = "spate.handler.fault.count",
            [ServerMetric.Sessions] = "spate.session.count",
            [ServerMetric.FaultedDrops] = "spate.drop.count/handler/datagram",
            [ServerMetric.FullChannelDrops] = "spate.drop.count/channel_full/datagram",
            [ServerMetric.UnreadChannelDrops] = "spate.drop.count/channel_unread/datagram",
            [ServerMetric.ReplyDrops] = "spate.drop.count/reply/datagram",
            [ServerMetric.StopDrops] = "spate.drop.count/server_stop/datagram",
            [ServerMetric.RefusedFull] = "spate.session.refused/full",
            [ServerMetric.RefusedByPrefix] = "spate.session.refused/prefix",
            [ServerMetric.RefusedByRate] = "spate.session.refused/rate",
        };
        Assert.Equal(Enum.GetValues<ServerMetric>().Length, places.Count);
        ServerMetrics account = new(name);
        account.Add(new SessionCounts());
        foreach (ServerMetric figure in places.Keys.Where(figure => !SessionCounts.Has(figure)))
            account.CountDrops(figure, ValueOf(figure));
        account.Start(threads: null, sockets: null);
        Dictionary<string, long> values;
        try
        {
            values = MeterReadings.Collect();
        }
        finally
        {
            account.Stop();
        }

        Assert.All(places, place => Assert.Equal(ValueOf(place.Key), values[$"{place.Value}/{name}"]));
    }

    private static int ValueOf(ServerMetric figure) => 1000 + (int)figure;

    private static UdpServer Start(string name, Func<UdpShard, UdpHandler> handlerFactory) => UdpServer.Start(
        new UdpServerOptions { Name = name, LocalEndPoints = [UdpEndPoint.Loopback(0)], ThreadCount = 1 },
        handlerFactory);

    private static void Send(UdpServer server)
    {
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        for (int i = 0; i < Sent; i++) Assert.Equal(1, client.Send([1]).Sent);
    }

    private static Task<UdpServerStatistics> StopAsync(UdpServer server) =>
        server.StopAsync(ServerCase.Patience, ServerCase.Cancellation);

    /// <summary>A table whose counts differ from each other.</summary>
    private sealed class SessionCounts : ISessionSource
    {
        public int Count => ValueOf(ServerMetric.Sessions);

        public SessionRefusals Refusals => new()
        {
            Full = ValueOf(ServerMetric.RefusedFull),
            ByPrefix = ValueOf(ServerMetric.RefusedByPrefix),
            ByRate = ValueOf(ServerMetric.RefusedByRate),
        };

        public static bool Has(ServerMetric figure) =>
            figure is ServerMetric.Sessions or >= ServerMetric.RefusedFull;
    }
}
