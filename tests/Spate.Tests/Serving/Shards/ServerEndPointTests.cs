using Spate.Serving;
using Spate.Testing;

namespace Spate.Tests.Serving.Shards;

/// <summary>Several addresses and ports, of both families.</summary>
public sealed class ServerEndPointTests
{
    [Theory]
    [MemberData(nameof(ServerCase.OfTwoThreads), MemberType = typeof(ServerCase))]
    public void Answers_SeveralEndPoints_LeaveByTheOneAskedAt(ServerCase @case)
    {
        using UdpServer server = UdpServer.Start(
            With(@case, [UdpEndPoint.Loopback(0), UdpEndPoint.IPv6Loopback(0), UdpEndPoint.Loopback(0)]),
            shard => new TestHandler
            {
                Datagrams = (batch, replies) =>
                {
                    Assert.Same(replies, shard.GetReplies(shard.LocalEndPointIndex));
                    foreach (Datagram datagram in batch)
                        Assert.True(replies.TryAdd(
                            [(byte)shard.LocalEndPointIndex, datagram.Payload[0]], datagram.Peer));
                },
            });
        Assert.Equal(3, server.LocalEndPoints.Distinct().Count());
        Assert.All(server.Shards, shard => Assert.Equal(server.LocalEndPoints, shard.LocalEndPoints));
        UdpSocket[] clients = [.. server.LocalEndPoints.Select(to => UdpSocket.Connect(to))];
        byte[] answer = new byte[8];
        for (int round = 0; round < 100; round++)
        {
            for (int i = 0; i < clients.Length; i++) Assert.Equal(1, clients[i].Send([(byte)round]).Sent);
            for (int i = 0; i < clients.Length; i++)
            {
                // Connected, so it only takes answers from where it asked.
                Assert.Equal(ReceiveStatus.Received, clients[i].ReceiveFrom(answer, ServerCase.Patience, out _));
                Assert.Equal([(byte)i, (byte)round], answer[..2]);
            }
        }

        Array.ForEach(clients, client => client.Dispose());
        server.Dispose();
        Assert.Equal(0, server.GetStatistics().Threads.Sum(thread => thread.HandlerFaults));
    }

    [Fact]
    public void OnTick_GetReplies_LeavesByThatSocket()
    {
        UdpEndPoint peer4 = UdpEndPoint.Loopback(9), peer6 = UdpEndPoint.IPv6Loopback(9);
        using TestShard test = new(
            shard => new TestHandler
            {
                Tick = (_, replies) =>
                {
                    Assert.Same(replies, shard.GetReplies(0));
                    Assert.True(replies.TryAdd([4], peer4));
                    Assert.True(shard.GetReplies(1).TryAdd([6], peer6));
                    Assert.Throws<ArgumentOutOfRangeException>(() => shard.GetReplies(2));
                    Assert.Throws<ArgumentOutOfRangeException>(() => shard.GetReplies(-1));
                },
            },
            new TestShardOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(1), UdpEndPoint.IPv6Loopback(1)],
                TickInterval = TimeSpan.FromMilliseconds(1),
            });

        // A tick is for the first end point, also after a batch of another one.
        test.Receive(peer6, [1], localEndPointIndex: 1);
        test.Advance(TimeSpan.FromMilliseconds(2));

        SentDatagram[] each = [new(peer4, [4]), new(peer6, [6]) { LocalEndPointIndex = 1 }];
        Assert.Equal([.. each, .. each], test.Sent);
    }

    [Theory]
    [MemberData(nameof(ServerCase.EveryDesign), MemberType = typeof(ServerCase))]
    public void Wildcards_OfBothFamiliesOnOnePort_EachFamilyAtItsOwn(UdpServerDesign design)
    {
        int port;
        using (UdpSocket free = UdpSocket.Bind(UdpEndPoint.IPv6Any(0))) port = free.LocalEndPoint.Port;
        using UdpServer server = UdpServer.Start(
            new UdpServerOptions
            {
                LocalEndPoints = [UdpEndPoint.Any(port), UdpEndPoint.IPv6Any(port)],
                Design = design,
                ThreadCount = ServerCase.ThreadCountOf(design),
            },
            shard => new TestHandler
            {
                Datagrams = (batch, replies) =>
                {
                    foreach (Datagram datagram in batch)
                        Assert.True(replies.TryAdd([(byte)shard.LocalEndPointIndex], datagram.Peer));
                },
            });
        byte[] answer = new byte[8];
        foreach (UdpEndPoint to in new[] { UdpEndPoint.Loopback(port), UdpEndPoint.IPv6Loopback(port) })
        {
            using UdpSocket client = UdpSocket.Connect(to);
            client.Send([1]);
            Assert.Equal(ReceiveStatus.Received, client.ReceiveFrom(answer, ServerCase.Patience, out _));
            Assert.Equal(to == UdpEndPoint.Loopback(port) ? 0 : 1, answer[0]);
        }
    }

    private static UdpServerOptions With(ServerCase @case, UdpEndPoint[] endPoints) => new()
    {
        LocalEndPoints = endPoints,
        Design = @case.Design,
        ThreadCount = @case.ThreadCount,
        Socket = @case.Options.Socket,
    };
}
