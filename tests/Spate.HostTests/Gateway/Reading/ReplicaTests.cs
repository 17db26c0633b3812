using Spate.Gateway;
using Spate.HostTests.Gateway.Brokers;
using Spate.TestHelpers.Gateways;

namespace Spate.HostTests.Gateway.Reading;

/// <summary>Streams that not every node of a cluster has.</summary>
[Collection(TrioCollection.Name)]
public sealed class ReplicaTests
{
    private readonly RabbitTrio _trio;

    public ReplicaTests(RabbitTrio trio)
    {
        RabbitTrio.Require();
        _trio = trio;
    }

    [Fact]
    public async Task Read_NodeWithoutAReplica_GoesToTheNextHost()
    {
        string name = await _trio.DeclareAsync(("x-queue-type", "stream"), ("x-initial-cluster-size", 1));
        await using StreamBench stream = await StreamBench.OpenAsync(_trio, name);
        await stream.PublishAsync(MessageBytes.Records(0, 5));
        foreach (BrokerNode first in _trio.Nodes)
        {
            string others = string.Join(',', _trio.Nodes.Where(node => node != first).Select(Host));
            GatewayFindings findings = await GatewayReader.ReadAsync(
                stream.Options with { Target = GatewayTarget.Parse($"amqp://{Host(first)},{others}") },
                visit: null,
                TestContext.Current.CancellationToken);

            Assert.Equal(5L, findings.Datagrams);
        }
    }

    private static string Host(BrokerNode node) => $"127.0.0.1:{node.Port}";
}
