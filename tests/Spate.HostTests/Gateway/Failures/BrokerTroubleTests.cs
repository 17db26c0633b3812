using RabbitMQ.Client;
using Spate.Gateway;
using Spate.HostTests.Gateway.Brokers;
using Spate.TestHelpers.Gateways;

namespace Spate.HostTests.Gateway.Failures;

/// <summary>
/// One broker that blocks, stalls, refuses or loses a queue: each has its own state, and exact counts.
/// </summary>
[Collection(BrokerCollection.Name)]
public sealed class BrokerTroubleTests
{
    private readonly RabbitBroker _broker;

    public BrokerTroubleTests(RabbitBroker broker)
    {
        BrokerSetup.Require();
        _broker = broker;
    }

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private BrokerNode Node => _broker.Nodes[0];

    [Fact]
    public async Task MemoryAlarm_UnderLoad_IsBlockedAndNothingIsLostAfterwards()
    {
        await using GatewayBench bench = await GatewayBench.StartAsync(_broker, await _broker.DeclareStreamAsync());
        await bench.CommitAsync(1000);
        await Node.ControlAsync("set_vm_memory_high_watermark", "0.0001");
        await bench.Gateway.UntilAsync(static now => now.State == GatewayState.Blocked, () => bench.Send(1));
        await Node.ControlAsync("set_vm_memory_high_watermark", "absolute", "1GB");
        await bench.AssertAllStoredAsync();
    }

    [Fact]
    public async Task PausedBroker_UnderLoad_IsStalledAndNothingIsLostAfterwards()
    {
        await using GatewayBench bench = await GatewayBench.StartAsync(_broker, await _broker.DeclareStreamAsync());
        await bench.CommitAsync(1000);
        Node.Pause();
        try
        {
            await bench.Gateway.UntilAsync(static now => now.State == GatewayState.Stalled, () => bench.Send(10));
        }
        finally
        {
            Node.Resume();
        }

        await bench.Gateway.UntilAsync(static now => now.State == GatewayState.Committing);
        await bench.AssertAllStoredAsync();
    }

    [Fact]
    public async Task PausedBroker_StopWithALargeWindowFull_EndsAndTells()
    {
        await using GatewayBench bench = await GatewayBench.StartAsync(
            _broker,
            await _broker.DeclareStreamAsync(),
            static options => options with { MemoryBytes = 64 << 20, ConfirmWindow = 100, PackBytes = 120 * 1024 });
        await bench.CommitAsync(100);
        Node.Pause();
        try
        {
            await bench.Gateway.UntilAsync(static now => now.Pipelines[0].MessagesUnconfirmed == 100, bench.Send);
            GatewayStatistics done = await bench.StopAsync(TimeSpan.Zero);
            Assert.True(done.InDoubt > 0);
        }
        finally
        {
            Node.Resume();
        }
    }

    [Fact]
    public async Task PausedBroker_LongerThanHeartbeats_IsLostAndSentAgain()
    {
        TestWidth.SkipUnlessLong("it takes three heartbeats; PausedBroker_UnderLoad pauses it in every run");
        await using GatewayBench bench = await GatewayBench.StartAsync(_broker, await _broker.DeclareStreamAsync());
        await bench.CommitAsync(1000);
        Node.Pause();
        try
        {
            await bench.Gateway.UntilAsync(static now => now.InDoubt > 0, () => bench.Send(1));
        }
        finally
        {
            Node.Resume();
        }

        await bench.AssertAllStoredAsync();
    }

    [Fact]
    public async Task HostileDatagrams_OfAnySizeAndContent_AreStoredAsTheyCame()
    {
        Random random = RandomCase.Create();

        // A million of them are some 450 MB, which retention must not cut off.
        string name = await _broker.DeclareAsync(("x-queue-type", "stream"), ("x-max-length-bytes", 2_000_000_000L));
        await using GatewayBench bench = await GatewayBench.StartAsync(_broker, name);
        int count = TestWidth.Of(20_000, full: 1_000_000);
        for (int sent = 0; sent < count; sent += 100)
        {
            bench.SendRandom(random, 100);

            // What was sent has arrived, or the kernel has dropped it: the sender does not run ahead of the test.
            if (sent % 2000 == 0) await bench.Gateway.UntilAsync(now => now.Accepted + now.KernelDrops > sent / 2);
        }

        GatewayStatistics done = await bench.StopAsync();
        GatewayFindings findings = await bench.ReadAsync();
        GatewayKeyFindings key = Assert.Single(findings.Keys);
        Assert.True(findings.IsComplete);
        Assert.Equal((done.Committed, done.DroppedOversized), (key.Datagrams, key.DroppedOversized));
        Assert.Equal(done.Accepted, done.Committed + done.DroppedOversized);
        Assert.True(done.DroppedOversized > 0);
    }

    [Fact]
    public async Task FullMemory_BrokerBlocked_EveryDropIsCountedAndNamed()
    {
        string name = await _broker.DeclareStreamAsync();
        await using GatewayBench bench = await GatewayBench.StartAsync(
            _broker, name,
            static options => options with { MemoryBytes = 2 << 20, ConfirmWindow = 4, PackBytes = 8192 });
        await bench.CommitAsync(100);
        Node.Pause();
        try
        {
            await bench.Gateway.UntilAsync(static now => now.DroppedWindowFull > 0, bench.Send);
        }
        finally
        {
            Node.Resume();
        }

        GatewayStatistics done = await bench.StopAsync();
        GatewayKeyFindings key = Assert.Single((await bench.ReadAsync()).Keys);
        Assert.Equal(GatewayEpochState.Ended, key.State);
        Assert.Equal((done.Committed, done.DroppedWindowFull, 0L),
            (key.Datagrams, key.DroppedWindowFull, key.Missing));
    }

    [Fact]
    public async Task QueueThatIsFull_UnderLoad_IsRefusedAndToldAtTheEnd()
    {
        string name = await _broker.DeclareAsync(
            ("x-queue-type", "quorum"), ("x-max-length-bytes", 200_000L), ("x-overflow", "reject-publish"));
        await using GatewayBench bench = await GatewayBench.StartAsync(
            _broker, name, static options => options with { QueueKind = GatewayQueueKind.Queue });
        await bench.Gateway.UntilAsync(static now => now.State == GatewayState.Refused, bench.Send);
        GatewayStatistics done = await bench.StopAsync(TimeSpan.FromSeconds(1));

        Assert.True(done.Committed > 0);
        Assert.True(done.DroppedRefused > 0);
    }

    [Fact]
    public async Task QueueIsDeleted_UnderLoad_ReturnsAreNoCommitsAndItGoesOnWhenItIsThereAgain()
    {
        (string Name, object? Value)[] arguments = [("x-queue-type", "quorum")];
        string name = await _broker.DeclareAsync(arguments);
        await using GatewayBench bench = await GatewayBench.StartAsync(
            _broker, name, static options => options with { QueueKind = GatewayQueueKind.Queue });
        GatewayStatistics before = await bench.CommitAsync(500);
        await using IConnection connection = await _broker.ConnectAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Cancellation);
        await channel.QueueDeleteAsync(name, ifUnused: false, ifEmpty: false, cancellationToken: Cancellation);
        await bench.Gateway.UntilAsync(static now => now.State == GatewayState.Refused, () => bench.Send(1));
        await channel.QueueDeclareAsync(
            name, durable: true, exclusive: false, autoDelete: false,
            arguments.ToDictionary(static one => one.Name, static one => one.Value, StringComparer.Ordinal),
            cancellationToken: Cancellation);
        GatewayStatistics done = await bench.StopAsync();

        Assert.Equal(done.Accepted, done.Committed);
        Assert.True(done.Committed >= before.Committed);
    }
}
