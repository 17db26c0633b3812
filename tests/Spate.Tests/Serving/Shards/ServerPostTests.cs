using Spate.Serving;

namespace Spate.Tests.Serving.Shards;

/// <summary>Replies that other threads post.</summary>
public sealed class ServerPostTests
{
    [Theory]
    [MemberData(nameof(ServerCase.OfTwoThreads), MemberType = typeof(ServerCase))]
    public void TryEnqueue_ServerIdle_LeavesAtOnce(ServerCase @case)
    {
        using UdpServer server = UdpServer.Start(@case.Options, _ => new TestHandler());
        using UdpSocket receiver = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        byte[] buffer = new byte[8];
        for (int i = 0; i < 200; i++)
        {
            // No ticks and no arrivals: only the post itself can wake the shard, which has often gone to sleep again.
            UdpShard shard = server.Shards[i % 2];
            Assert.True(shard.TryEnqueue([(byte)i], receiver.LocalEndPoint));
            Assert.Equal(ReceiveStatus.Received, receiver.ReceiveFrom(buffer, ServerCase.Patience, out var datagram));
            Assert.Equal((server.LocalEndPoints[0], (byte)i), (datagram.Peer, buffer[0]));
        }

        Assert.Throws<ArgumentOutOfRangeException>(() => server.Shards[0].TryEnqueue([1], receiver.LocalEndPoint, 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => server.Shards[0].TryEnqueue([1], receiver.LocalEndPoint, -1));
        Assert.Throws<ArgumentOutOfRangeException>(
            () => server.Shards[0].TryEnqueue(new byte[70_000], receiver.LocalEndPoint));
    }

    [Theory]
    [MemberData(nameof(ServerCase.EveryDesign), MemberType = typeof(ServerCase))]
    public void TryEnqueue_ManyFromFourThreads_AllSent(UdpServerDesign design)
    {
        const int threadCount = 4;

        // A send takes some 100 µs under Wine, whose server takes part in it.
        int countEach = OperatingSystem.IsLinux() ? 25_000 : 2_500;
        using UdpSocket sink = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        UdpEndPoint to = sink.LocalEndPoint;
        using UdpServer server = UdpServer.Start(Options(design), _ => new TestHandler());
        UdpShard[] shards = [.. server.Shards];
        Thread[] threads = [.. Enumerable.Range(0, threadCount).Select(index => new Thread(() =>
        {
            for (int i = 0; i < countEach; i++)
            {
                // Full: the shard is at it.
                while (!shards[(index + i) % shards.Length].TryEnqueue([1, 2, 3], to)) Thread.Yield();
            }
        }))];
        Array.ForEach(threads, thread => thread.Start());
        Assert.All(threads, thread => Assert.True(thread.Join(ServerCase.Patience)));
        server.Dispose();
        UdpServerStatistics statistics = server.GetStatistics();
        Assert.Equal(threadCount * countEach, statistics.Sockets.DatagramsSent);
        Assert.Equal(threadCount * countEach, statistics.Threads.Sum(thread => thread.RepliesSent));
        Assert.All(shards, shard => Assert.False(shard.TryEnqueue([1], to), "A shard that has ended took a post."));
    }

    [Theory]
    [MemberData(nameof(ServerCase.EveryDesign), MemberType = typeof(ServerCase))]
    public async Task TryEnqueue_WhileTheServerStops_WhatWasTakenIsSentOrCounted(UdpServerDesign design)
    {
        using UdpSocket sink = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        UdpEndPoint to = sink.LocalEndPoint;
        for (int round = 0; round < 20; round++)
        {
            long taken = 0;
            using var underWay = new Signal(100);
            UdpServer server = UdpServer.Start(Options(design), _ => new TestHandler());
            UdpShard[] shards = [.. server.Shards];
            bool isOver = false;
            var poster = new Thread(() =>
            {
                for (uint i = 0; !Volatile.Read(ref isOver); i++)
                {
                    if (!shards[i % shards.Length].TryEnqueue([1], to)) continue;
                    taken++;
                    underWay.Set();
                }
            });
            poster.Start();
            Assert.True(underWay.Wait());
            await server.StopAsync(round % 2 == 0 ? TimeSpan.Zero : ServerCase.Patience, ServerCase.Cancellation);
            Volatile.Write(ref isOver, true);
            Assert.True(poster.Join(ServerCase.Patience));
            Assert.Equal(taken, server.GetStatistics().Threads.Sum(
                thread => thread.RepliesSent + thread.RepliesRefused + thread.RepliesDropped));
        }
    }

    [Fact]
    public void ReplyTimeout_Zero_EveryReplyIsSentOrCounted()
    {
        // Whether a send buffer fills over loopback, which takes datagrams off it at once, is the kernel's affair; what
        // did not leave must be counted either way.
        const int repliesPerRequest = 1_000, replyBytes = 1_000;
        using UdpSocket client = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using UdpServer server = UdpServer.Start(
            new UdpServerOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(0)],
                ThreadCount = 1,
                ReplyTimeout = TimeSpan.Zero,
                Replies = new SendBatchOptions { Capacity = repliesPerRequest, BufferBytes = 2 << 20 },
                Socket = new UdpSocketOptions { SendBufferBytes = 4_096, SegmentedSend = false },
            },
            shard => new TestHandler
            {
                Datagrams = (batch, replies) =>
                {
                    while (replies.TryReserve(batch.GetPeer(0), replyBytes, out _))
                    {
                    }
                },
            });
        for (int i = 0; i < 5; i++) client.SendTo([1], server.LocalEndPoints[0]);
        server.Dispose();
        UdpThreadStatistics thread = Assert.Single(server.GetStatistics().Threads);
        Assert.Equal(
            thread.Calls * repliesPerRequest, thread.RepliesSent + thread.RepliesDropped + thread.RepliesRefused);
        Assert.Equal(thread.RepliesSent, server.GetStatistics().Sockets.DatagramsSent);
    }

    private static UdpServerOptions Options(UdpServerDesign design) => new()
    {
        LocalEndPoints = [UdpEndPoint.Loopback(0)],
        Design = design,
        ThreadCount = ServerCase.ThreadCountOf(design),
    };
}
