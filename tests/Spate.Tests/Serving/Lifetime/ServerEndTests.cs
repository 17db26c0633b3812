using Spate.Interop.Linux;
using Spate.Measurement.Traffic;
using Spate.Serving;
using Spate.Serving.Lifetime;
using Spate.Serving.Shards;
using Spate.Tests.Sockets;
using Spate.Tests.Waiting;
using Spate.Waiting;

namespace Spate.Tests.Serving.Lifetime;

/// <summary>Stopping and shrinking end in the stated time, whatever arrives and whatever handlers do.</summary>
public sealed class ServerEndTests
{
    [Fact]
    public async Task SetThreadCount_ToFewerUnderBroadcasts_Ends()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Shards are taken away by steering programs.");
        using UdpSocket sender = UdpSocket.Bind(
            UdpEndPoint.Loopback(0), new UdpSocketOptions { EnableBroadcast = true });
        using var begun = new Signal(100);
        using var heardByFirst = new Signal(100);
        UdpEndPoint to = default;
        await using UdpServer server = UdpServer.Start(
            Options(UdpServerDesign.Sharded, UdpEndPoint.Any(0)),
            shard => new TestHandler
            {
                // Every socket of a group hears a broadcast, whatever its program says. Each that the second shard
                // hears makes the next one, which is there before its handler returns: it is never quiet.
                Datagrams = (_, _) =>
                {
                    (shard.Index == 0 ? heardByFirst : begun).Set();
                    if (shard.Index == 1) Assert.Equal(1, sender.SendTo([1], to).Sent);
                },
            });
        to = UdpEndPoint.Parse($"127.255.255.255:{server.LocalEndPoints[0].Port}");
        sender.SendTo([1], to);
        Assert.True(begun.Wait());
        Assert.True(heardByFirst.Wait());

        UdpServerStatistics statistics = await server.SetThreadCountAsync(1, TimeSpan.MaxValue, ServerCase.Cancellation)
            .WaitAsync(ServerCase.Patience, TestContext.Current.CancellationToken);

        Assert.Empty(statistics.StuckShards);
        Assert.Equal(0, statistics.Unhandled);
    }

    [Fact]
    public async Task SetThreadCount_HandlerDoesNotReturn_LeftBehindAndNamedAndTheOthersGoOn()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Shards are taken away by steering programs.");
        const int queuedCount = 20;
        using var stuck = new Signal();
        using var release = new Signal();
        using var ended = new Signal();
        await using UdpServer server = UdpServer.Start(
            Options(UdpServerDesign.Sharded, UdpEndPoint.Loopback(0)), shard => Handler(shard, stuck, release, ended));
        using UdpSocket client = ConnectToShardOne(server, stuck);
        for (int i = 0; i < queuedCount; i++) Assert.Equal(1, client.Send([1]).Sent);

        UdpServerStatistics statistics = await server.SetThreadCountAsync(1, TimeSpan.Zero, ServerCase.Cancellation)
            .WaitAsync(ServerCase.Patience, TestContext.Current.CancellationToken);

        Assert.Equal([1], statistics.StuckShards);
        Assert.Equal(queuedCount, statistics.Unhandled);
        Assert.Equal(statistics.Sockets.DatagramsReceived, statistics.Handled + statistics.Unhandled);
        client.Send([2]);
        Assert.Equal(ReceiveStatus.Received, client.ReceiveFrom(new byte[8], ServerCase.Patience, out _));
        release.Set();
        Assert.True(ended.Wait());
        AssertNobodyIsStuck(server);
        Assert.False(server.Completion.IsCompleted);
        UdpServerStatistics after = server.GetStatistics();
        Assert.Equal(after.Sockets.DatagramsReceived, after.Handled + after.Unhandled);
    }

    [Theory, InlineData("adaptive"), InlineData("reader-workers")]
    public async Task SetThreadCount_LastAwakeDoesNotReturn_TheOthersGoOn(string designName)
    {
        UdpServerDesign design = DesignNames.Find(designName);
        using var stuck = new Signal();
        using var release = new Signal();
        var options = new UdpServerOptions
        {
            LocalEndPoints = [UdpEndPoint.Loopback(0)],
            Design = design,
            ThreadCount = 2,
            WakeThreshold = 1,
        };
        await using UdpServer server = UdpServer.Start(options, shard => new TestHandler
        {
            Datagrams = (batch, replies) =>
            {
                if (shard.Index == 1)
                {
                    stuck.Set();
                    release.Wait();
                }

                // The other one is slow until then, so that shard 1 is woken for what comes meanwhile.
                SpinWait.SpinUntil(() => stuck.IsSet, TimeSpan.FromMilliseconds(20));
                foreach (Datagram datagram in batch) replies.TryAdd(datagram.Payload, datagram.Peer);
            },
        });
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        Assert.True(SpinWait.SpinUntil(() => stuck.IsSet || client.Send([1]).Sent < 0, ServerCase.Patience));

        UdpServerStatistics statistics = await server.SetThreadCountAsync(1, TimeSpan.Zero, ServerCase.Cancellation)
            .WaitAsync(ServerCase.Patience, TestContext.Current.CancellationToken);

        Assert.Equal([1], statistics.StuckShards);
        using UdpSocket later = UdpSocket.Connect(server.LocalEndPoints[0]);
        for (int i = 0; i < 3; i++)
        {
            // What is sent while it is awake would be heard anyway.
            long sleeps = Sleeps(server);
            SpinWait.SpinUntil(() => Sleeps(server) > sleeps, TimeSpan.FromMilliseconds(300));
            later.Send([2]);

            // Less than the patience of the stuck handler, whose return would wake the others.
            TimeSpan limit = ServerCase.Patience / 2;
            Assert.Equal(ReceiveStatus.Received, later.ReceiveFrom(new byte[8], limit, out _));
        }

        release.Set();
        AssertNobodyIsStuck(server);
    }

    [Fact]
    public async Task End_RepliesCannotLeave_GivenUpWhenTheTimeIsOver()
    {
        var faults = new FaultSchedule();
        using UdpSocket socket = FaultySocket.Bind(faults);
        faults.FailEvery(CallKind.PlainSend, 1, Errno.EAGAIN);
        ResolvedServerOptions plan = new(
            new UdpServerOptions { LocalEndPoints = [socket.LocalEndPoint], ReplyTimeout = TimeSpan.FromHours(1) },
            _ => new TestHandler { Stop = replies => replies.TryAdd([1], UdpEndPoint.Loopback(9)) });
        ThreadWaiter waiter = new(new TestEventSet());
        ShardThread thread = new(
            plan,
            index: 0,
            [socket],
            () => new SocketSource(
                [socket], new ReceivedBatch(socket.CreateReceiveBatch()), waiter, spinner: null, active: null),
            () => { });
        thread.Start(_ => { });
        using StopDeadline end = new();
        using CancellationTokenRegistration hurry = end.BringForward(
            TimeSpan.FromMilliseconds(100), ServerCase.Cancellation);

        thread.End(end);
        await thread.Ended.WaitAsync(ServerCase.Patience, TestContext.Current.CancellationToken);

        Assert.Equal(1, thread.Read().RepliesDropped);
    }

    [Fact]
    public async Task StopAsync_HandlersDoNotReturn_EndsAndNamesThem()
    {
        await Task.WhenAll(ServerDesigns.All.Select(StopWithAStuckHandler))
            .WaitAsync(ServerCase.Patience, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task StopAsync_BehindAShrinkAndAStopWithoutLimit_EndsAll()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Shards are taken away by steering programs.");
        using var stuck = new Signal();
        using var release = new Signal();
        using var ended = new Signal();
        UdpServer server = UdpServer.Start(
            Options(UdpServerDesign.Sharded, UdpEndPoint.Loopback(0)), shard => Handler(shard, stuck, release, ended));
        using UdpSocket client = ConnectToShardOne(server, stuck);

        Task change = server.SetThreadCountAsync(1, TimeSpan.MaxValue, ServerCase.Cancellation);
        Task<UdpServerStatistics> slow = server.StopAsync(TimeSpan.MaxValue, ServerCase.Cancellation);
        UdpServerStatistics statistics = await server.StopAsync(TimeSpan.Zero, ServerCase.Cancellation)
            .WaitAsync(ServerCase.Patience, TestContext.Current.CancellationToken);

        await Assert.ThrowsAsync<ObjectDisposedException>(() => change);
        Assert.Equal([1], statistics.StuckShards);
        Assert.Equal([1], (await slow).StuckShards);
        release.Set();
        Assert.True(ended.Wait());
        AssertNobodyIsStuck(server);
        Assert.True(server.Completion.IsCompletedSuccessfully);
        server.Dispose();
    }

    [Fact]
    public async Task StopAsync_WhileAHandlerIsMade_Ends()
    {
        using var making = new Signal();
        using var release = new Signal();
        UdpServer server = UdpServer.Start(
            Options(UdpComparisonDesigns.Drain, UdpEndPoint.Loopback(0)),
            shard =>
            {
                if (shard.Index < 2) return new TestHandler();
                making.Set();
                release.Wait();
                return new TestHandler();
            });
        Task change = Task.Run(
            () => server.SetThreadCountAsync(3, ServerCase.Cancellation), ServerCase.Cancellation);
        Assert.True(making.Wait());
        UdpServerStatistics statistics = await server.StopAsync(TimeSpan.Zero, ServerCase.Cancellation)
            .WaitAsync(ServerCase.Patience, TestContext.Current.CancellationToken);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => change);
        Assert.Equal([2], statistics.StuckShards);
        release.Set();
        AssertNobodyIsStuck(server);
    }

    [Fact]
    public async Task StopAsync_WaitedForByAHandler_EndsAndNamesIt()
    {
        TaskCompletionSource<UdpServer> made = new();
        TaskCompletionSource<UdpServerStatistics> stopped = new(TaskCreationOptions.RunContinuationsAsynchronously);
        UdpServer server = UdpServer.Start(
            Options(UdpComparisonDesigns.Drain, UdpEndPoint.Loopback(0)),
            _ => new TestHandler
            {
                Datagrams = (_, _) => stopped.SetResult(
                    made.Task.GetAwaiter().GetResult().StopAsync(TimeSpan.Zero, CancellationToken.None)
                        .GetAwaiter().GetResult()),
            });
        made.SetResult(server);
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        client.Send([1]);
        UdpServerStatistics statistics = await stopped.Task
            .WaitAsync(ServerCase.Patience, TestContext.Current.CancellationToken);
        Assert.Single(statistics.StuckShards);
        AssertNobodyIsStuck(server);
    }

    [Theory]
    [MemberData(nameof(ServerCase.EveryDesign), MemberType = typeof(ServerCase))]
    public async Task SetThreadCount_ByAHandler_RefusedBeforeItCouldWaitForItself(UdpServerDesign design)
    {
        TaskCompletionSource<UdpServer> made = new();
        TaskCompletionSource<Exception?> thrown = new(TaskCreationOptions.RunContinuationsAsynchronously);
        using UdpServer server = UdpServer.Start(
            Options(design, UdpEndPoint.Loopback(0)),
            _ => new TestHandler
            {
                Datagrams = (_, _) =>
                {
                    UdpServer own = made.Task.GetAwaiter().GetResult();
                    thrown.TrySetResult(Record.Exception(
                        () => { Task change = own.SetThreadCountAsync(1, CancellationToken.None); }));
                },
            });
        made.SetResult(server);
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        client.Send([1]);
        Exception? thrownThere = await thrown.Task
            .WaitAsync(ServerCase.Patience, TestContext.Current.CancellationToken);
        var refused = Assert.IsType<InvalidOperationException>(thrownThere);
        Assert.Contains("by Task.Run", refused.Message, StringComparison.Ordinal);
        Assert.Equal(ServerCase.ThreadCountOf(design), server.ThreadCount);
    }

    private static async Task StopWithAStuckHandler(UdpServerDesign design)
    {
        using var stuck = new Signal();
        using var release = new Signal();
        UdpServer server = UdpServer.Start(
            Options(design, UdpEndPoint.Loopback(0)),
            _ => new TestHandler
            {
                Datagrams = (_, _) =>
                {
                    stuck.Set();
                    release.Wait();
                },
            });
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        client.Send([1]);
        Assert.True(stuck.Wait());
        UdpServerStatistics statistics = await server.StopAsync(TimeSpan.FromMilliseconds(10), ServerCase.Cancellation);
        Assert.Single(statistics.StuckShards);
        Assert.Equal(1, statistics.Handled);
        Assert.True(server.Completion.IsCompletedSuccessfully);
        using (UdpSocket again = UdpSocket.Bind(server.LocalEndPoints[0]))
            Assert.Equal(server.LocalEndPoints[0], again.LocalEndPoint);
        await server.DisposeAsync();
        release.Set();
        AssertNobodyIsStuck(server);
    }

    // What comes after the stuck handler's own batch lies in its socket.
    private static TestHandler Handler(UdpShard shard, Signal stuck, Signal release, Signal ended) => new()
    {
        Datagrams = (batch, replies) =>
        {
            if (shard.Index == 0)
            {
                foreach (Datagram datagram in batch) replies.TryAdd(datagram.Payload, datagram.Peer);
                return;
            }

            stuck.Set();
            release.Wait();
        },
        Stop = _ =>
        {
            if (shard.Index == 1) ended.Set();
        },
    };

    private static UdpSocket ConnectToShardOne(UdpServer server, Signal stuck)
    {
        byte[] answer = new byte[8];
        while (true)
        {
            UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
            client.Send([1]);
            while (true)
            {
                if (stuck.IsSet) return client;
                if (client.ReceiveFrom(answer, TimeSpan.FromMilliseconds(1), out _) == ReceiveStatus.Received) break;
            }

            client.Dispose();
        }
    }

    private static long Sleeps(UdpServer server) => server.GetStatistics().Threads.Sum(thread => thread.Sleeps);

    private static void AssertNobodyIsStuck(UdpServer server) => Assert.True(
        SpinWait.SpinUntil(() => server.GetStatistics().StuckShards.Count == 0, ServerCase.Patience),
        "A handler returned, and its thread did not end.");

    private static UdpServerOptions Options(UdpServerDesign design, UdpEndPoint local) => new()
    {
        LocalEndPoints = [local],
        Design = design,
        ThreadCount = ServerCase.ThreadCountOf(design),
        Socket = new UdpSocketOptions { CoalescedReceive = false },
    };
}
