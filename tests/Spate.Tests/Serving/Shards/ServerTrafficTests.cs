using Spate.Serving;

namespace Spate.Tests.Serving.Shards;

/// <summary>Every design under load: all that was sent is handled once, or counted as dropped.</summary>
public sealed class ServerTrafficTests
{
    private const int SenderCount = 4;
    private const int CountEach = 5_000;

    [Theory]
    [MemberData(nameof(ServerCase.All), MemberType = typeof(ServerCase))]
    public async Task Load_SeveralSenders_EachHandledOnceOrCountedAsDropped(ServerCase @case)
    {
        using var load = new ServerLoad(SenderCount, CountEach);
        bool keepsPeers = false;
        await using UdpServer server = UdpServer.Start(@case.Options, shard =>
        {
            Volatile.Write(ref keepsPeers, shard.KeepsPeers);
            return load.Handler(shard);
        });
        load.Send(server.LocalEndPoints[0]);
        await server.StopAsync(ServerCase.Patience, ServerCase.Cancellation);

        Assert.Equal(SenderCount * CountEach, load.Sent);
        load.AssertAccounted(server, inOrder: keepsPeers);
        if (keepsPeers) Assert.All(load.ShardsPerSender(), count => Assert.InRange(count, 0, 1));
        await server.Completion;
    }

    [Theory]
    [MemberData(nameof(ServerCase.OfTwoThreads), MemberType = typeof(ServerCase))]
    public async Task Load_SlowHandlers_DropsAreCounted(ServerCase @case)
    {
        using var load = new ServerLoad(SenderCount, CountEach);
        using var firstBatch = new Signal();
        using var allSent = new Signal();
        UdpServerOptions options = @case.Options;
        options = new UdpServerOptions
        {
            LocalEndPoints = options.LocalEndPoints,
            Design = options.Design,
            ThreadCount = options.ThreadCount,
            Socket = options.Socket with { ReceiveBufferBytes = 64 * 1024 },
            ReceiveBatch = new ReceiveBatchOptions { SlotCount = 8 },
        };
        await using UdpServer server = UdpServer.Start(options, shard => load.Handler(shard, (_, _) =>
        {
            firstBatch.Set();
            allSent.Wait();
        }));
        load.Send(server.LocalEndPoints[0]);
        Assert.True(firstBatch.Wait());
        allSent.Set();
        await server.StopAsync(ServerCase.Patience, ServerCase.Cancellation);

        if (server.GetStatistics().Sockets.KernelDrops >= 0)
        {
            Assert.True(server.GetStatistics().Sockets.KernelDrops > 0, "Nothing was dropped, so nothing was shown.");
        }
        load.AssertAccounted(server, inOrder: false);
    }

    [Theory]
    [InlineData("reader-workers")]
    [InlineData("ring")]
    public async Task Workers_OneHandlerStuck_TheOtherTakesWhatIsLeft(string designName)
    {
        UdpServerDesign design = DesignNames.Find(designName);
        using var release = new Signal();
        using var other = new Signal();
        int first = -1, handled = 0;
        await using UdpServer server = UdpServer.Start(new UdpServerOptions
        {
            LocalEndPoints = [UdpEndPoint.Loopback(0)],
            Design = design,
            ThreadCount = 2,
            BatchCount = 4,
            WakeThreshold = 1 << 20,
            ReceiveBatch = new ReceiveBatchOptions { SlotCount = 1 },
            Socket = new UdpSocketOptions { CoalescedReceive = false },
        }, shard => new TestHandler
        {
            Datagrams = (batch, _) =>
            {
                Interlocked.Add(ref handled, batch.Count);
                if (Interlocked.CompareExchange(ref first, shard.Index, -1) != -1) other.Set();
                else release.Wait();
            },
        });
        using UdpSocket sender = UdpSocket.Connect(server.LocalEndPoints[0]);
        for (int i = 0; i < 20; i++) Assert.Equal(1, sender.Send(new byte[1]).Sent);
        bool othersWork = other.Wait();
        release.Set();
        await server.StopAsync(ServerCase.Patience, ServerCase.Cancellation);

        Assert.True(othersWork, "Nobody took what waited while one handler was stuck.");
        Assert.Equal(20, handled);
    }

    [Theory]
    [InlineData("sharded", 1, UdpSteering.Cpu, true)]
    [InlineData("sharded", 1, UdpSteering.Spread, true)]
    [InlineData("sharded", 3, UdpSteering.Automatic, true)]
    [InlineData("sharded", 3, UdpSteering.FlowHash, true)]
    [InlineData("sharded", 3, UdpSteering.Kernel, true)]
    [InlineData("sharded", 3, UdpSteering.Cpu, false)]
    [InlineData("sharded", 3, UdpSteering.Spread, false)]
    [InlineData("one-by-one", 1, UdpSteering.Automatic, true)]
    [InlineData("one-by-one", 2, UdpSteering.Automatic, false)]
    [InlineData("drain", 1, UdpSteering.Automatic, true)]
    [InlineData("drain", 2, UdpSteering.Automatic, false)]
    [InlineData("adaptive", 1, UdpSteering.Automatic, true)]
    [InlineData("adaptive", 2, UdpSteering.Automatic, false)]
    [InlineData("ring", 1, UdpSteering.Automatic, true)]
    [InlineData("ring", 2, UdpSteering.Automatic, false)]
    [InlineData("reader-workers", 1, UdpSteering.Automatic, true)]
    [InlineData("reader-workers", 2, UdpSteering.Automatic, false)]
    public void KeepsPeers_EachDesign_AsPromised(
        string designName, int threadCount, UdpSteering steering, bool expected)
    {
        UdpServerDesign design = DesignNames.Find(designName);
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Shards and steering programs are Linux's.");
        using UdpServer server = UdpServer.Start(
            new UdpServerOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(0)],
                Design = design,
                ThreadCount = threadCount,
                Steering = steering,
            },
            _ => new TestHandler());
        Assert.Equal(threadCount, server.ThreadCount);
        Assert.All(server.Shards, shard => Assert.Equal(expected, shard.KeepsPeers));
        Assert.Equal(Enumerable.Range(0, threadCount), server.Shards.Select(shard => shard.Index));
    }
}
