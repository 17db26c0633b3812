using System.Collections.Concurrent;
using Spate.Serving;
using Spate.Testing;

namespace Spate.Tests.Serving.Shards;

/// <summary>What handlers throw costs one batch at most, and is told.</summary>
public sealed class ServerFaultTests
{
    private const byte Bad = 0xBD;

    private static readonly UdpEndPoint Peer = UdpEndPoint.Parse("192.0.2.1:40000");

    [Theory]
    [MemberData(nameof(ServerCase.EveryDesign), MemberType = typeof(ServerCase))]
    public void OnDatagrams_Throws_CountedReportedAndOthersServed(UdpServerDesign design)
    {
        ConcurrentQueue<UdpServerFault> reports = new();
        FakeTime time = new();
        const int rounds = 20;
        using UdpServer server = UdpServer.Start(
            new UdpServerOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(0)],
                Design = design,
                ThreadCount = ServerCase.ThreadCountOf(design),
                Socket = new UdpSocketOptions { TimeProvider = time, Backend = UdpBackend.Portable },
                OnFault = fault =>
                {
                    reports.Enqueue(fault);
                    throw new InvalidOperationException("The reporter fails too.");
                },
            },
            _ => new TestHandler
            {
                Datagrams = (batch, replies) =>
                {
                    foreach (Datagram datagram in batch)
                    {
                        Assert.True(replies.TryAdd(datagram.Payload, datagram.Peer));
                        if (datagram.Payload[0] == Bad) throw new FormatException("Bad datagram.");
                        if (datagram.Payload[0] == Bad + 1) throw new NotSupportedException("Worse.");
                    }
                },
            });
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        for (int round = 0; round < rounds; round++)
        {
            // Each is answered, or known to have been thrown over, before the next, so each has a batch of its own.
            AssertFaults(server, client, Bad, (2 * round) + 1);
            AssertFaults(server, client, Bad + 1, (2 * round) + 2);
            AssertAnswered(client, (byte)round);
        }

        Assert.Equal("FormatException NotSupportedException", string.Join(' ', reports.Select(Kind)));
        Assert.All(reports, report => Assert.Equal(1, report.Count));
        time.Advance(TimeSpan.FromSeconds(10));
        AssertFaults(server, client, Bad, (2 * rounds) + 1);
        server.Dispose();
        Assert.Equal(3, reports.Count);
        Assert.Equal(("FormatException", rounds), (Kind(reports.Last()), reports.Last().Count));
        UdpServerStatistics statistics = server.GetStatistics();
        Assert.Equal((2 * rounds) + 1, statistics.Threads.Sum(thread => thread.DatagramsFaulted));
        Assert.Equal((2 * rounds) + 1, statistics.Threads.Sum(thread => thread.RepliesDropped));
        Assert.Equal(rounds, statistics.Threads.Sum(thread => thread.RepliesSent));
        Assert.Equal(rounds, statistics.Sockets.DatagramsSent);
    }

    [Theory]
    [MemberData(nameof(ServerCase.EveryDesign), MemberType = typeof(ServerCase))]
    public void OnTickOnStopAndDispose_Throw_CountedAndTheServerEnds(UdpServerDesign design)
    {
        using var ticks = new Signal(3);
        using UdpServer server = UdpServer.Start(
            new UdpServerOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(0)],
                Design = design,
                ThreadCount = 1,
                TickInterval = TimeSpan.FromMilliseconds(1),
            },
            _ => new TestHandler
            {
                Tick = (_, _) =>
                {
                    ticks.Set();
                    throw new FormatException("Tick.");
                },
                Stop = _ => throw new FormatException("Stop."),
                Disposed = () => throw new FormatException("Dispose."),
            });
        Assert.True(ticks.Wait());
        server.Dispose();
        Assert.True(server.Completion.IsCompletedSuccessfully);
        Assert.True(server.GetStatistics().Threads.Sum(thread => thread.HandlerFaults) >= 5);
    }

    [Fact]
    public void Handler_AsksForAControlThatTheBackendLacks_FaultCountedAndTheServerGoesOn()
    {
        UdpServerOptions options = new()
        {
            LocalEndPoints = [UdpEndPoint.Loopback(0)],
            Design = UdpComparisonDesigns.Drain,
            Socket = new UdpSocketOptions { Backend = UdpBackend.Portable },
        };
        using UdpServer server = UdpServer.Start(options, _ => new TestHandler
        {
            Datagrams = (batch, replies) =>
            {
                SendControl control = batch[0].Payload[0] == Bad ? new() { TrafficClass = 8 } : default;
                replies.TryReserve(batch.GetPeer(0), control, 1, out Span<byte> payload);
                payload[0] = batch[0].Payload[0];
            },
        });
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);

        AssertFaults(server, client, Bad, 1);
        AssertAnswered(client, 1);

        Assert.False(server.Completion.IsCompleted);
    }

    [Fact]
    public void OnTick_Throws_RepliesOfEverySocketAreCountedAsDroppedUnlessFlushed()
    {
        TestShardOptions options = new()
        {
            LocalEndPoints = [UdpEndPoint.Loopback(1), UdpEndPoint.Loopback(2)],
            TickInterval = TimeSpan.FromMilliseconds(1),
        };
        using TestShard test = new(
            shard => new TestHandler
            {
                Tick = (_, replies) =>
                {
                    Assert.True(replies.TryAdd([1], Peer));
                    shard.Flush(replies);
                    for (byte i = 0; i < 3; i++) Assert.True(shard.GetReplies(i % 2).TryAdd([i], Peer));
                    throw new FormatException("Tick.");
                },
            },
            options);

        Assert.Throws<FormatException>(() => test.Advance(TimeSpan.FromMilliseconds(1)));

        Assert.Equal([new(Peer, [1])], test.Sent);
        UdpThreadStatistics thread = test.GetStatistics();
        Assert.Equal((1, 3, 1), (thread.RepliesSent, thread.RepliesDropped, thread.HandlerFaults));
    }

    [Fact]
    public void OnTick_OneSocketsRepliesCannotBeSent_TheOthersLeave()
    {
        using UdpSocket client = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        UdpEndPoint peer = client.LocalEndPoint;
        bool isDone = false;
        UdpServerOptions options = new()
        {
            LocalEndPoints = [UdpEndPoint.Loopback(0), UdpEndPoint.Loopback(0)],
            Design = UdpComparisonDesigns.Drain,
            ThreadCount = 1,
            TickInterval = TimeSpan.FromMilliseconds(1),
            Socket = new UdpSocketOptions { Backend = UdpBackend.Portable },
        };
        using UdpServer server = UdpServer.Start(options, shard => new TestHandler
        {
            Tick = (_, _) =>
            {
                if (isDone) return;
                isDone = true;
                shard.GetReplies(0).TryReserve(peer, new SendControl { TrafficClass = 8 }, 1, out Span<byte> _);
                Assert.True(shard.GetReplies(1).TryAdd([7], peer));
            },
        });

        ReceiveStatus status = client.ReceiveFrom(new byte[8], ServerCase.Patience, out ReceivedDatagram received);

        Assert.Equal((ReceiveStatus.Received, server.LocalEndPoints[1]), (status, received.Peer));
        server.Dispose();
        UdpThreadStatistics thread = Assert.Single(server.GetStatistics().Threads);
        Assert.Equal((1, 1, 1), (thread.RepliesSent, thread.RepliesDropped, thread.HandlerFaults));
    }

    [Theory]
    [MemberData(nameof(ServerCase.OfTwoThreads), MemberType = typeof(ServerCase))]
    public void Handler_MisusesItsBatches_DisposeHasNoEffectAndTheServerGoesOn(ServerCase @case)
    {
        ConcurrentQueue<UdpServerFault> reports = new();
        UdpServerOptions options = new()
        {
            LocalEndPoints = @case.Options.LocalEndPoints,
            Design = @case.Design,
            ThreadCount = @case.ThreadCount,
            Socket = @case.Options.Socket,
            OnFault = reports.Enqueue,
        };
        using UdpServer server = UdpServer.Start(options, _ => new TestHandler
        {
            Datagrams = (batch, replies) =>
            {
                byte content = batch[0].Payload[0];
                Assert.True(replies.TryAdd(batch[0].Payload, batch.GetPeer(0)));
                if (content == Bad) batch.Dispose();
                if (content == Bad + 1) replies.Dispose();

                // As if another thread were sending them still.
                if (content == Bad + 2) replies.Queue.Use.Enter();
            },
        });
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        for (int round = 0; round < 3; round++)
        {
            AssertAnswered(client, Bad);
            AssertAnswered(client, Bad + 1);
        }

        AssertFaults(server, client, Bad + 2, 1);
        Assert.False(server.Completion.IsCompleted);
        Assert.IsType<InvalidOperationException>(Assert.Single(reports).Exception);
        server.Dispose();
        Assert.True(server.Completion.IsCompletedSuccessfully);
    }

    [Theory]
    [MemberData(nameof(ServerCase.OfTwoThreads), MemberType = typeof(ServerCase))]
    public async Task Thread_EndsByItself_TheServerStopsAndCompletionFaults(ServerCase @case)
    {
        // A batch that another call never gives back ends the thread that has to receive into it.
        UdpServer server = UdpServer.Start(
            @case.Options, shard => new TestHandler { Datagrams = (batch, _) => batch.Slots.Use.Enter() });
        using (UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]))
        {
            client.Send([1]);

            // The batch is met again after the others have been used.
            using var stop = new CancellationTokenSource(ServerCase.Patience);
            while (!server.Completion.IsCompleted && !stop.IsCancellationRequested) client.Send([1]);
        }

        await Assert.ThrowsAsync<InvalidOperationException>(
            () => server.Completion.WaitAsync(ServerCase.Patience, TestContext.Current.CancellationToken));
        await server.StopAsync(ServerCase.Patience, ServerCase.Cancellation);
    }

    private static string Kind(UdpServerFault fault) => fault.Exception.GetType().Name;

    private static void AssertFaults(UdpServer server, UdpSocket client, int content, long expected)
    {
        client.Send([(byte)content]);
        bool came = SpinWait.SpinUntil(
            () => server.GetStatistics().Threads.Sum(thread => thread.HandlerFaults) == expected, ServerCase.Patience);
        Assert.True(came, $"{expected} faults were expected.");
    }

    private static void AssertAnswered(UdpSocket client, byte content)
    {
        byte[] answer = new byte[8];
        client.Send([content]);
        Assert.Equal(ReceiveStatus.Received, client.ReceiveFrom(answer, ServerCase.Patience, out _));
        Assert.Equal(content, answer[0]);
    }
}
