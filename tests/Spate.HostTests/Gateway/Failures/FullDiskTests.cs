using Spate.Gateway;
using Spate.HostTests.Gateway.Brokers;
using Spate.TestHelpers.Gateways;

namespace Spate.HostTests.Gateway.Failures;

/// <summary>A disk that fills: the broker gives no warning, falls silent and ends.</summary>
[Collection(SmallDiskCollection.Name)]
public sealed class FullDiskTests
{
    private readonly RabbitOnSmallDisk _broker;

    public FullDiskTests(RabbitOnSmallDisk broker)
    {
        BrokerSetup.Require();
        TestWidth.SkipUnlessLong("the broker is silent for long; MemoryAlarm_UnderLoad blocks it in every run");
        Assert.SkipUnless(broker.IsReady, "root is needed to mount a disk in memory");
        _broker = broker;
    }

    [Fact]
    public async Task FullDisk_UnderLoad_IsStalledThenDisconnectedAndTheAccountIsEven()
    {
        await using GatewayBench bench = await GatewayBench.StartAsync(_broker, await _broker.DeclareStreamAsync());
        await bench.Gateway.UntilAsync(
            static now => now.State is GatewayState.Stalled or GatewayState.Disconnected, bench.Send);
        await bench.Gateway.UntilAsync(static now => now.State == GatewayState.Disconnected, bench.Send);
        GatewayStatistics done = await bench.StopAsync(TimeSpan.FromSeconds(1));

        Assert.True(done.Committed > 0);
        Assert.True(done.InDoubt + done.DroppedShutdown + done.DroppedWindowFull > 0);
    }
}
