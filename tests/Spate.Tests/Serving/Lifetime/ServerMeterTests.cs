using Spate.Serving;
using Spate.Tests.Diagnostics;

namespace Spate.Tests.Serving.Lifetime;

/// <summary>What servers tell the meter "Spate".</summary>
[Collection(AloneCollection.Name)]
public sealed class ServerMeterTests
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
            name, _ => new TestHandler { Datagrams = (_, _) => throw new FormatException("Bad datagram.") });
        Send(server);
        UdpServerStatistics statistics = await StopAsync(server);

        Dictionary<string, long> values = MeterReadings.Collect();
        Assert.Equal(Sent, statistics.Threads.Sum(thread => thread.DatagramsFaulted));
        Assert.Equal(Sent, values[$"spate.drop.count/handler/datagram/{name}"]);
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
        SessionTable<int>? table = null;
        await using UdpServer server = Start(name, shard =>
        {
            table = shard.CreateSessionTable<int>(new() { NewSessionsBurstPerPrefix = burst });
            return new TestHandler
            {
                Datagrams = (_, _) =>
                {
                    if (table.Count > 0) return;
                    for (int i = 1; i <= peerCount; i++) table.TryAdmit(UdpEndPoint.Parse($"192.0.2.{i}:9"), out _);
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
        Assert.Equal(burst, running[$"spate.session.count/{name}"]);
        Assert.Equal(0, stopped[$"spate.session.count/{name}"]);
        Assert.Equal(peerCount - burst, running[$"spate.session.refused/prefix/{name}"]);
        Assert.Equal(peerCount - burst, stopped[$"spate.session.refused/prefix/{name}"]);
        Assert.Equal(0, stopped[$"spate.session.refused/full/{name}"]);
    }

    private static UdpServer Start(string name, Func<UdpShard, UdpHandler> makeHandler) => UdpServer.Start(
        new UdpServerOptions { Name = name, LocalEndPoints = [UdpEndPoint.Loopback(0)], ThreadCount = 1 }, makeHandler);

    private static void Send(UdpServer server)
    {
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        for (int i = 0; i < Sent; i++) Assert.Equal(1, client.Send([1]).Sent);
    }

    private static Task<UdpServerStatistics> StopAsync(UdpServer server) =>
        server.StopAsync(ServerCase.Patience, ServerCase.Cancellation);
}
