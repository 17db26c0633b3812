using Spate.Serving;

namespace Spate.Tests.Serving.Lifetime;

/// <summary>What a token does to calls that change or stop a server.</summary>
public sealed class ServerCancellationTests
{
    [Fact]
    public async Task SetThreadCountAsync_CancelledBefore_ChangesNothing()
    {
        ServerCase.RequireSharedPort();
        await using UdpServer server = UdpServer.Start(Options(1), _ => new TestHandler());

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => server.SetThreadCountAsync(2, new CancellationToken(canceled: true)));

        Assert.Equal(1, server.ThreadCount);
        await server.SetThreadCountAsync(2, ServerCase.Cancellation);
        Assert.Equal(2, server.ThreadCount);
    }

    [Theory]
    [InlineData("sharded")]
    [InlineData("reader-workers")]
    public async Task SetThreadCountAsync_CancelledWhileAHandlerIsMade_TakesBackWhatWasAdded(string designName)
    {
        UdpServerDesign design = DesignNames.Find(designName);
        ServerCase.RequireSharedPort(design);
        using var making = new Signal();
        using var release = new Signal();
        await using UdpServer server = UdpServer.Start(Options(1) with { Design = design }, shard =>
        {
            if (shard.Index == 0) return new TestHandler();
            making.Set();
            Assert.True(release.Wait());
            return new TestHandler();
        });
        using CancellationTokenSource cancellation = new();
        Task change = server.SetThreadCountAsync(3, cancellation.Token);
        Assert.True(making.Wait());

        await cancellation.CancelAsync();
        release.Set();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => change.WaitAsync(ServerCase.Patience, ServerCase.Cancellation));
        Assert.Equal(1, server.ThreadCount);
        Assert.Single(server.Shards);
        await server.SetThreadCountAsync(2, ServerCase.Cancellation);
        Assert.Equal(2, server.Shards.Count);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task StopAsync_CancelledWhileItDrains_EndsAtOnce(bool isCancelledBefore)
    {
        using var handling = new Signal();
        using var release = new Signal();
        UdpServer server = UdpServer.Start(Options(1), _ => new TestHandler
        {
            Datagrams = (_, _) =>
            {
                handling.Set();
                Assert.True(release.Wait());
            },
        });
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        client.Send([1]);
        Assert.True(handling.Wait());
        using CancellationTokenSource cancellation = new();
        if (isCancelledBefore) await cancellation.CancelAsync();

        Task<UdpServerStatistics> stop = server.StopAsync(TimeSpan.MaxValue, cancellation.Token);
        if (!isCancelledBefore) await cancellation.CancelAsync();

        // The handler is left behind two seconds later. Without the token the call would wait for it for ever.
        UdpServerStatistics statistics = await stop.WaitAsync(ServerCase.Patience, ServerCase.Cancellation);
        Assert.Equal([0], statistics.StuckShards);
        Assert.True(server.Completion.IsCompletedSuccessfully);
        release.Set();
    }

    private static UdpServerOptions Options(int threadCount) => new()
    {
        LocalEndPoints = [UdpEndPoint.Loopback(0)],
        ThreadCount = threadCount,
    };
}
