using Spate.Serving;
using Spate.Testing;

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

    /// <summary>A post that the socket cannot send is dropped and counted, and the server goes on.</summary>
    [Theory]
    [MemberData(nameof(ServerCase.OfTwoThreads), MemberType = typeof(ServerCase))]
    public void TryEnqueue_ControlThatTheSocketRefuses_IsDroppedAndCounted(ServerCase @case)
    {
        using UdpServer server = UdpServer.Start(@case.Options, _ => new TestHandler());
        using UdpSocket receiver = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        SendControl leavesLater = new() { TransmitTimeMonotonicNanoseconds = 1 };

        Assert.True(server.Shards[0].TryEnqueue([1], receiver.LocalEndPoint, leavesLater));
        Assert.True(SpinWait.SpinUntil(
            () => server.GetStatistics().Threads.Sum(static one => one.RepliesDropped) == 1, ServerCase.Patience));
        Assert.True(server.Shards[0].TryEnqueue([2], receiver.LocalEndPoint));

        byte[] buffer = new byte[8];
        Assert.Equal(ReceiveStatus.Received, receiver.ReceiveFrom(buffer, ServerCase.Patience, out _));
        Assert.Equal(2, buffer[0]);
        Assert.False(server.Completion.IsCompleted);
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

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(75)]
    [InlineData(1_000)]
    public void ReplyTimeout_SendBufferFull_EveryReplyIsSentOrCounted(int timeoutMilliseconds)
    {
        const int repliesPerRequest = 1_000, room = 1_500;
        using TestShard test = new(
            _ => new TestHandler
            {
                Datagrams = (batch, replies) =>
                {
                    while (replies.TryReserve(batch.GetPeer(0), 1_000, out Span<byte> _))
                    {
                    }
                },
            },
            new TestShardOptions
            {
                ReplyTimeout = TimeSpan.FromMilliseconds(timeoutMilliseconds),
                ReplyBatch = new SendBatchOptions { Capacity = repliesPerRequest, BufferBytes = 2 << 20 },
            });
        test.SendBufferRoom = room;
        DateTimeOffset start = test.TimeProvider.GetUtcNow();

        for (int i = 0; i < 5; i++) test.Receive(UdpEndPoint.Loopback(9), [1]);

        UdpThreadStatistics thread = test.GetStatistics();
        Assert.Equal((room, (5 * repliesPerRequest) - room), (thread.RepliesSent, thread.RepliesDropped));
        Assert.Equal(room, test.Sent.Count);

        // Four batches found too little room.
        Assert.Equal(TimeSpan.FromMilliseconds(4 * timeoutMilliseconds), test.TimeProvider.GetUtcNow() - start);
    }

    private static UdpServerOptions Options(UdpServerDesign design) => new()
    {
        LocalEndPoints = [UdpEndPoint.Loopback(0)],
        Design = design,
        ThreadCount = ServerCase.ThreadCountOf(design),
    };
}
