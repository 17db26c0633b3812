using Spate.Serving;

namespace Spate.Tests;

/// <summary>The texts of public structs that are not records, for a log or a debugger.</summary>
public sealed class ValueTextTests
{
    [Fact]
    public void ToString_ReceivedDatagram_HasStatusLengthAndPeer()
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        socket.SendTo("hello"u8, socket.LocalEndPoint);
        socket.SendTo("hello"u8, socket.LocalEndPoint);

        socket.ReceiveFrom(new byte[5], out ReceivedDatagram whole);
        socket.ReceiveFrom(new byte[2], out ReceivedDatagram cut);

        Assert.Equal($"Received 5 bytes from {socket.LocalEndPoint}", whole.ToString());
        Assert.Equal($"Received 2 bytes from {socket.LocalEndPoint}, truncated", cut.ToString());
    }

    [Fact]
    public async Task ToString_ReceiveThatTimedOut_IsTheStatus()
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));

        ReceivedDatagram none = await socket.ReceiveFromAsync(
            new byte[5], TimeSpan.Zero, TestContext.Current.CancellationToken);

        Assert.Equal("TimedOut", none.ToString());
        Assert.Equal("None", default(ReceivedDatagram).ToString());
    }

    [Fact]
    public void ToString_Lease_HasLengthAndPeerAlsoAfterItsEnd()
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        socket.SendTo("hello"u8, socket.LocalEndPoint);
        socket.Receive(batch);

        DatagramLease lease = batch.Lease(0);
        lease.Dispose();

        Assert.Equal($"5 bytes from {socket.LocalEndPoint}", lease.ToString());
        Assert.StartsWith("0 bytes from ", default(DatagramLease).ToString(), StringComparison.Ordinal);
        Assert.StartsWith("0 bytes from ", default(UdpChannelDatagram).ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void ToString_SessionHandle_DistinguishesSessions()
    {
        SessionTable<int> table = new();
        table.GetOrAdmit(UdpEndPoint.Loopback(1), out SessionRef<int> one);
        Assert.True(table.TryAddRef(UdpEndPoint.Loopback(1), out SessionHandle first));
        table.GetOrAdmit(UdpEndPoint.Loopback(2), out SessionRef<int> two);
        Assert.True(table.TryAddRef(UdpEndPoint.Loopback(2), out SessionHandle second));

        Assert.StartsWith("session ", first.ToString(), StringComparison.Ordinal);
        Assert.NotEqual(first.ToString(), second.ToString(), StringComparer.Ordinal);
        Assert.Equal("no session", default(SessionHandle).ToString());
    }

    [Fact]
    public void ToString_ServerStatistics_SumsTheThreads()
    {
        UdpThreadStatistics thread = new()
        {
            ShardIndex = 0,
            Datagrams = 5,
            RepliesSent = 4,
            RepliesDropped = 1,
            DatagramsFaulted = 2,
        };
        UdpServerStatistics statistics = new()
        {
            Threads = [thread, thread with { ShardIndex = 1 }, thread with { ShardIndex = null, RepliesSent = 0 }],
            Sockets = new UdpCounters { KernelDrops = 3, KernelDropUnit = UdpDropUnit.Datagrams },
            StuckShards = [1],
        };

        Assert.Equal(
            "10 handled, 6 faulted, 0 unhandled; 8 replies sent, 0 refused, 3 dropped; 0 channel drops, "
            + "kernel drops 3 Datagrams; 0 sessions, 0 refused; 1 shards stuck: 1",
            statistics.ToString());
    }
}
