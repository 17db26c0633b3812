using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Tests.Serving.Lifetime;

/// <summary>Threads are added and taken away under load, and nothing is lost that the kernel did not drop.</summary>
public sealed class ServerResizeTests
{
    private const int FlowCount = 800;

    public static TheoryData<UdpServerDesign, UdpSteering> Ways
    {
        get
        {
            TheoryData<UdpServerDesign, UdpSteering> ways = [];
            foreach (UdpServerDesign design in ServerDesigns.All)
                ways.Add(design, UdpSteering.Automatic);
            ways.Add(UdpServerDesign.Sharded, UdpSteering.Cpu);
            ways.Add(UdpServerDesign.Sharded, UdpSteering.Spread);
            return ways;
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task SetThreadCount_UnderLoadOf800Flows_NothingLost(UdpServerDesign design, UdpSteering steering)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Shards are taken away by steering programs.");
        const int countEach = 100;
        using var load = new ServerLoad(FlowCount, countEach);
        await using UdpServer server = UdpServer.Start(Options(design, 1, steering), shard => load.Handler(shard));
        UdpEndPoint to = server.LocalEndPoints[0];
        using var begun = new Signal();
        var sending = Task.Run(
            () => load.SendInTurns(to, turns: 25, begun.Set), TestContext.Current.CancellationToken);
        Assert.True(begun.Wait());
        int changes = 0;
        while (changes < 12 || !sending.IsCompleted)
        {
            int threadCount = changes++ % 2 == 0 ? 4 : 1 + (changes % 3);
            await server.SetThreadCountAsync(threadCount, ServerCase.Cancellation);
            Assert.Equal(threadCount, server.ThreadCount);
            Assert.Equal(threadCount, server.Shards.Count);
        }

        await sending;
        await server.StopAsync(ServerCase.Patience, ServerCase.Cancellation);
        load.AssertAccounted(server, inOrder: false);
        Assert.True(server.GetStatistics().Threads.Count <= (2 * 4) + 1, "One entry per index was promised.");
    }

    [Fact]
    public async Task SetThreadCount_ToFewerUnderKernelSteering_Refused()
    {
        ServerCase.RequireSharedPort();
        await using UdpServer server = UdpServer.Start(
            Options(UdpServerDesign.Sharded, 2, UdpSteering.Kernel), _ => new TestHandler());
        var refused = await Assert.ThrowsAsync<NotSupportedException>(
            () => server.SetThreadCountAsync(1, ServerCase.Cancellation));
        Assert.Contains("with Steering.FlowHash or Steering.Cpu", refused.Message, StringComparison.Ordinal);
        await server.SetThreadCountAsync(3, ServerCase.Cancellation);
        Assert.Equal(3, server.ThreadCount);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            () => server.SetThreadCountAsync(0, ServerCase.Cancellation));
        var tooMany = await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            () => server.SetThreadCountAsync(257, ServerCase.Cancellation));
        Assert.StartsWith("threadCount must be from 1 to 256.", tooMany.Message, StringComparison.Ordinal);
        var noLimit = await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            () => server.StopAsync(Timeout.InfiniteTimeSpan, ServerCase.Cancellation));
        Assert.StartsWith(
            "drainTimeout must be from 0 to TimeSpan.MaxValue.", noLimit.Message, StringComparison.Ordinal);
        await server.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(
            () => server.SetThreadCountAsync(2, ServerCase.Cancellation));
    }

    [Theory]
    [MemberData(nameof(ServerCase.EveryDesign), MemberType = typeof(ServerCase))]
    public async Task SetThreadCount_FactoryThrows_TheOthersGoOn(UdpServerDesign design)
    {
        ServerCase.RequireSharedPort(design);
        using var load = new ServerLoad(50, 20);
        await using UdpServer server = UdpServer.Start(
            Options(design, 2, UdpSteering.Automatic),
            shard => shard.Index < 3 ? load.Handler(shard) : throw new FormatException("No more."));
        for (int i = 0; i < 3; i++)
        {
            await Assert.ThrowsAsync<FormatException>(() => server.SetThreadCountAsync(5, ServerCase.Cancellation));
            Assert.Equal(2, server.ThreadCount);
        }

        load.Send(server.LocalEndPoints[0]);
        await server.SetThreadCountAsync(3, ServerCase.Cancellation);
        await server.StopAsync(ServerCase.Patience, ServerCase.Cancellation);
        load.AssertAccounted(server, inOrder: false);
        await server.Completion;
    }

    [Fact]
    public async Task SetThreadCount_FactoryThrows_WhatTheThreadsBeforeItHandledIsCounted()
    {
        using UdpSocket client = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using var handledByAdded = new Signal();
        UdpEndPoint local = default;
        UdpServerOptions options = Options(UdpComparisonDesigns.Drain, 1, UdpSteering.Automatic);
        await using UdpServer server = UdpServer.Start(options, shard => shard.Index < 2
            ? new TestHandler { Datagrams = (_, _) => Handle(shard) }
            : throw Thrown());
        local = server.LocalEndPoints[0];

        await Assert.ThrowsAsync<FormatException>(() => server.SetThreadCountAsync(3, ServerCase.Cancellation));
        await server.StopAsync(ServerCase.Patience, ServerCase.Cancellation);

        UdpServerStatistics statistics = server.GetStatistics();
        Assert.True(handledByAdded.IsSet);
        Assert.Equal(statistics.Sockets.DatagramsReceived, statistics.Handled);

        void Handle(UdpShard shard)
        {
            // The first thread leaves what comes next to the one that is added.
            if (shard.Index == 1) handledByAdded.Set();
            else handledByAdded.Wait();
        }

        FormatException Thrown()
        {
            SpinWait.SpinUntil(() => handledByAdded.IsSet || client.SendTo([1], local).Sent < 0, ServerCase.Patience);
            return new FormatException("No more.");
        }
    }

    [Theory]
    [MemberData(nameof(ServerCase.EveryDesign), MemberType = typeof(ServerCase))]
    public async Task SetThreadCount_ToFewer_OnStopThatTakesLongHoldsNobodyUp(UdpServerDesign design)
    {
        ServerCase.RequireSharedPort(design);
        using var stopping = new Signal();
        using var served = new Signal();
        await using UdpServer server = UdpServer.Start(
            Options(design, 2, UdpSteering.Automatic),
            shard => new TestHandler
            {
                Datagrams = (batch, replies) => Assert.True(replies.TryAdd([1], batch.GetPeer(0))),
                Stop = _ =>
                {
                    if (shard.Index != 1) return;
                    stopping.Set();
                    served.Wait();
                },
            });
        Task change = server.SetThreadCountAsync(1, ServerCase.Cancellation);
        Assert.True(stopping.Wait());
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        client.Send([1]);
        Assert.Equal(
            ReceiveStatus.Received, client.ReceiveFrom(new byte[8], ServerCase.Patience, out _));
        served.Set();
        await change;
    }

    [Fact]
    public async Task SetThreadCount_ToFewerWithASlowHandler_HandlesAllThatIsQueued()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Shards are taken away by steering programs.");
        using var held = new Signal();
        using var load = new ServerLoad(200, 10);
        await using UdpServer server = UdpServer.Start(
            Options(UdpServerDesign.Sharded, 2, UdpSteering.Automatic),
            shard => load.Handler(shard, (_, _) => Assert.True(held.Wait())));
        load.Send(server.LocalEndPoints[0]);
        Task change = server.SetThreadCountAsync(1, ServerCase.Cancellation);
        held.Set();
        await change;
        await server.StopAsync(ServerCase.Patience, ServerCase.Cancellation);
        load.AssertAccounted(server, inOrder: false);
    }

    [Fact]
    public async Task SetThreadCount_ToFewer_WhatOnStopAnswersLeaves()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Shards are taken away by steering programs.");
        using UdpSocket client = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        await using UdpServer server = UdpServer.Start(
            Options(UdpServerDesign.Sharded, 2, UdpSteering.Automatic),
            shard => new TestHandler
            {
                Stop = replies => Assert.True(shard.Index == 0 || replies.TryAdd([7], client.LocalEndPoint)),
            });
        await server.SetThreadCountAsync(1, ServerCase.Cancellation);
        byte[] buffer = new byte[8];
        Assert.Equal(ReceiveStatus.Received, client.ReceiveFrom(buffer, ServerCase.Patience, out ReceivedDatagram got));
        Assert.Equal(7, buffer[0]);
        Assert.Equal(server.LocalEndPoints[0], got.Peer);
    }

    [Theory]
    [InlineData("ring")]
    [InlineData("reader-workers")]
    public async Task Receive_WhileOneHandlerIsStuck_TheOthersTakeWhatComes(string designName)
    {
        UdpServerDesign design = DesignNames.Find(designName);
        const int count = 50;
        using var stuck = new Signal();
        using var release = new Signal();
        using var handled = new Signal(count);
        await using UdpServer server = UdpServer.Start(
            Options(design, 4, UdpSteering.Automatic),
            _ => new TestHandler
            {
                Datagrams = (batch, _) =>
                {
                    foreach (Datagram datagram in batch)
                    {
                        if (datagram.Payload.IsEmpty)
                        {
                            stuck.Set();
                            release.Wait();
                        }
                        else
                        {
                            handled.Set();
                        }
                    }
                },
            });
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        client.Send([]);
        Assert.True(stuck.Wait());
        for (int i = 0; i < count; i++) client.Send([1]);
        Assert.True(handled.Wait());
        release.Set();
    }

    [Fact]
    public async Task Stop_WithoutTimeForWhatWasReceived_TellsHowMuchNobodyHandled()
    {
        using var stuck = new Signal();
        using var release = new Signal();
        using var load = new ServerLoad(1, 600);
        await using UdpServer server = UdpServer.Start(
            Options(UdpServerDesign.ReaderWorkers, 1, UdpSteering.Automatic),
            shard => load.Handler(shard, (_, _) =>
            {
                stuck.Set();
                release.Wait();
            }));
        load.Send(server.LocalEndPoints[0]);
        Assert.True(stuck.Wait());
        Task stop = server.StopAsync(TimeSpan.FromMilliseconds(50), ServerCase.Cancellation);
        release.Set();
        await stop;
        UdpServerStatistics statistics = server.GetStatistics();
        Assert.Equal(statistics.Sockets.DatagramsReceived, statistics.Handled + statistics.Unhandled);
    }

    private static UdpServerOptions Options(UdpServerDesign design, int threadCount, UdpSteering steering) => new()
    {
        LocalEndPoints = [UdpEndPoint.Loopback(0)],
        Design = design,
        ThreadCount = threadCount,
        Steering = steering,
        Cpus = steering == UdpSteering.Cpu ? [0] : [],
        Socket = new UdpSocketOptions { CoalescedReceive = false },
    };
}
