using Spate.Gateway;
using Spate.HostTests.Gateway.Brokers;
using Spate.TestHelpers.Gateways;

namespace Spate.HostTests.Gateway.Failures;

/// <summary>The only broker is killed under load and starts again.</summary>
[Collection(BrokerCollection.Name)]
public sealed class KilledBrokerTests
{
    private readonly RabbitBroker _broker;

    public KilledBrokerTests(RabbitBroker broker)
    {
        BrokerSetup.Require();
        _broker = broker;
    }

    [Fact]
    public async Task Kill_BrokerUnderLoad_GatewayGoesOnAndNothingIsLost()
    {
        await using GatewayBench bench = await GatewayBench.StartAsync(_broker, await _broker.DeclareStreamAsync());
        await bench.CommitAsync(1000);

        // RabbitMQ 3.10 writes the register of its own members, the coordinator of streams among them, only some time
        // after its first stream was declared. Killed before that, it starts again with all its streams down.
        await _broker.Nodes[0].ControlAsync("eval", "[dets:sync(Table) || Table <- dets:all()].");
        try
        {
            // Small bursts: the memory has room for all that arrives while the broker is away.
            Task disconnected = bench.Gateway.UntilAsync(
                static now => now.State == GatewayState.Disconnected, () => bench.Send(10));
            await _broker.Nodes[0].KillAsync();
            await disconnected;
        }
        finally
        {
            // The other tests of the collection need the broker too.
            await _broker.RestoreAsync(0);
        }

        await bench.CommitAsync(bench.Gateway.GetStatistics().Accepted + 1000);
        GatewayStatistics done = await bench.AssertAllStoredAsync();
        Assert.True(done.Pipelines[0].ConnectionsLost > 0);
    }
}
