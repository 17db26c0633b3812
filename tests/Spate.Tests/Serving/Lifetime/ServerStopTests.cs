using Spate.Serving;

namespace Spate.Tests.Serving.Lifetime;

/// <summary>Stopping: what is queued is handled, and the end comes.</summary>
public sealed class ServerStopTests
{
    private const int SenderCount = 4;
    private const int CountEach = 400;

    [Theory]
    [MemberData(nameof(ServerCase.OfTwoThreads), MemberType = typeof(ServerCase))]
    public async Task StopAsync_DatagramsQueued_AllHandled(ServerCase @case)
    {
        // Handlers wait until everything is queued and the stop has begun.
        using var load = new ServerLoad(SenderCount, CountEach);
        using var stopping = new Signal();
        await using UdpServer server = UdpServer.Start(
            @case.Options, shard => load.Handler(shard, (_, _) => stopping.Wait()));
        Assert.SkipWhen(server.Backend == UdpBackend.Rio, "a socket of Registered I/O has no queue besides its slots");
        load.Send(server.LocalEndPoints[0]);
        Task stop = server.StopAsync(ServerCase.Patience, ServerCase.Cancellation);
        stopping.Set();
        await stop;
        Assert.Equal(SenderCount * CountEach, load.Handled);
        load.AssertAccounted(server, inOrder: false);
    }

    [Theory]
    [MemberData(nameof(ServerCase.OfTwoThreads), MemberType = typeof(ServerCase))]
    public async Task StopAsync_NoTime_WhatIsQueuedIsLostAndCounted(ServerCase @case)
    {
        using var load = new ServerLoad(SenderCount, CountEach);
        using var stopping = new Signal();
        UdpServer server = UdpServer.Start(
            @case.Options, shard => load.Handler(shard, (_, _) => stopping.Wait()));
        load.Send(server.LocalEndPoints[0]);
        Task stop = server.StopAsync(TimeSpan.Zero, ServerCase.Cancellation);
        stopping.Set();
        await stop;
        Assert.True(load.Handled <= load.Sent);
        UdpServerStatistics statistics = server.GetStatistics();
        Assert.Equal(load.Handled, statistics.Handled);
        Assert.Equal(statistics.Sockets.DatagramsReceived, statistics.Handled + statistics.Unhandled);
        if (!server.CoalescedReceive && statistics.Sockets.KernelDrops >= 0)
        {
            Assert.Equal(load.Sent, load.Handled + statistics.Unhandled + statistics.Sockets.KernelDrops);
        }
        await server.Completion;
    }

    [Theory]
    [MemberData(nameof(ServerCase.EveryDesign), MemberType = typeof(ServerCase))]
    public async Task StopAsync_TwiceAndAtOnce_EachEndsAndPortIsFree(UdpServerDesign design)
    {
        int stopped = 0;
        UdpServer server = UdpServer.Start(
            Options(design),
            _ => new TestHandler { Stop = _ => Interlocked.Increment(ref stopped) });
        Task[] stops =
        [
            .. Enumerable.Range(0, 4).Select(
                _ => Task.Run(() => server.StopAsync(TimeSpan.MaxValue, ServerCase.Cancellation))),
            .. Enumerable.Range(0, 2).Select(_ => Task.Run(server.Dispose)),
            .. Enumerable.Range(0, 2).Select(_ => Task.Run(async () => await server.DisposeAsync())),
        ];
        await Task.WhenAll(stops).WaitAsync(ServerCase.Patience, TestContext.Current.CancellationToken);
        await server.Completion;
        await server.StopAsync(TimeSpan.Zero, ServerCase.Cancellation);
        Assert.Equal(ServerCase.ThreadCountOf(design), stopped);
        using UdpSocket again = UdpSocket.Bind(server.LocalEndPoints[0]);
        Assert.Equal(server.LocalEndPoints[0], again.LocalEndPoint);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            () => server.StopAsync(TimeSpan.FromSeconds(-1), ServerCase.Cancellation));
    }

    [Theory]
    [MemberData(nameof(ServerCase.OfTwoThreads), MemberType = typeof(ServerCase))]
    public void Dispose_UnderFlood_Ends(ServerCase @case)
    {
        using var handled = new Signal(10);
        UdpServer server = UdpServer.Start(
            @case.Options, _ => new TestHandler { Datagrams = (_, _) => handled.Set() });
        UdpEndPoint to = server.LocalEndPoints[0];
        bool isOver = false;
        var flood = new Thread(() =>
        {
            using UdpSocket sender = UdpSocket.Bind(UdpEndPoint.Loopback(0));
            using SendBatch batch = sender.CreateSendBatch();
            while (!Volatile.Read(ref isOver))
            {
                while (batch.TryReserve(to, 100, out _))
                {
                }

                sender.Send(batch);
            }
        });
        flood.Start();
        Assert.True(handled.Wait());
        var closer = new Thread(server.Dispose);
        closer.Start();
        bool ended = closer.Join(ServerCase.Patience);
        Volatile.Write(ref isOver, true);
        flood.Join();
        Assert.True(ended, "Dispose did not end under a flood.");
        Assert.True(server.Completion.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task Dispose_ByAThreadThatGotTheNumberOfAnEndedOne_IsNotTakenForAHandler()
    {
        int id = 0;
        UdpServer server = UdpServer.Start(
            Options(UdpServerDesign.Drain, threadCount: 2),
            shard =>
            {
                if (shard.Index == 1) id = Environment.CurrentManagedThreadId;
                return new TestHandler();
            });
        await server.SetThreadCountAsync(1, ServerCase.Cancellation);

        // The runtime gives the lowest number that is free; other tests' threads may take it, so several try. For a
        // handler, Dispose would return before the server has stopped.
        bool? hasStopped = null;
        for (int i = 0; i < 50 && hasStopped is null; i++)
        {
            var thread = new Thread(() =>
            {
                if (Environment.CurrentManagedThreadId != id) return;
                server.Dispose();
                hasStopped = server.Completion.IsCompleted;
            });
            thread.Start();
            thread.Join();
        }

        Assert.NotEqual(false, hasStopped);
        server.Dispose();
    }

    [Theory]
    [MemberData(nameof(ServerCase.EveryDesign), MemberType = typeof(ServerCase))]
    public async Task StopAsync_ClockStandsStill_Ends(UdpServerDesign design)
    {
        UdpServer server = UdpServer.Start(
            new UdpServerOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(0)],
                Design = design,
                ThreadCount = ServerCase.ThreadCountOf(design),
                Wait = UdpServerWait.Adaptive,
                Socket = new UdpSocketOptions { TimeProvider = new FakeTime() },
            },
            TestHandler.Echo);
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        for (int i = 0; i < 20; i++)
        {
            client.Send([1]);
            Assert.Equal(ReceiveStatus.Received, client.ReceiveFrom(new byte[8], ServerCase.Patience, out _));
        }

        await server.StopAsync(TimeSpan.FromSeconds(2), ServerCase.Cancellation)
            .WaitAsync(ServerCase.Patience, TestContext.Current.CancellationToken);
    }

    private static UdpServerOptions Options(UdpServerDesign design, int? threadCount = null) => new()
    {
        LocalEndPoints = [UdpEndPoint.Loopback(0)],
        Design = design,
        ThreadCount = threadCount ?? ServerCase.ThreadCountOf(design),
    };
}
