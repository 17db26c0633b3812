using Spate.Gateway;
using Spate.HostTests.Gateway.Brokers;

namespace Spate.HostTests.Gateway.Failures;

/// <summary>Three nodes, of which one is killed or stopped under load.</summary>
[Collection(TrioCollection.Name)]
public sealed class KilledNodeTests
{
    // Enough for what the test sends while a stopped node is not yet taken for lost, so that nothing is dropped.
    private const long MemoryBytes = 256 << 20;

    private readonly RabbitTrio _trio;

    public KilledNodeTests(RabbitTrio trio)
    {
        RabbitTrio.Require();
        _trio = trio;
    }

    /// <summary>
    /// Two gateways whose connections begin with the same node; the killed one leads the stream, or not.
    /// </summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task Kill_NodeUnderLoad_NothingConfirmedIsLostAndOrderIsKept(bool isConnectedOne) =>
        EndLeaderAsync(isConnectedOne, static node => node.KillAsync());

    /// <summary>A stopped node keeps its connections and answers nothing, so only missing heartbeats tell.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task Stop_NodeUnderLoad_NothingConfirmedIsLostAndOrderIsKept(bool isConnectedOne)
    {
        // It takes three heartbeats, and the nodes' own.
        return EndLeaderAsync(isConnectedOne, static node =>
        {
            node.Pause();
            return Task.CompletedTask;
        });
    }

    private static Task<GatewayStatistics> MoreAsync(GatewayBench bench) =>
        bench.CommitAsync(bench.Gateway.GetStatistics().Accepted + 2000);

    private async Task EndLeaderAsync(bool isConnectedOne, Func<BrokerNode, Task> end)
    {
        string stream = await _trio.DeclareStreamAsync();
        int leader = await LeaderOfAsync(stream);

        // A gateway's first pipeline connects to the first host of its list.
        string[] hosts = [.. Enumerable.Range(0, 3).Select(i => $"127.0.0.1:{_trio.Nodes[(leader + i) % 3].Port}")];
        if (!isConnectedOne) Array.Reverse(hosts);
        GatewayTarget target = GatewayTarget.Parse($"amqp://{string.Join(',', hosts)}");
        await using GatewayBench first = await GatewayBench.StartAsync(
            _trio, stream, options => options with { Target = target, Id = "first", MemoryBytes = MemoryBytes });
        await using GatewayBench second = await GatewayBench.StartAsync(
            _trio, stream, options => options with { Target = target, Id = "second", MemoryBytes = MemoryBytes });
        try
        {
            await Task.WhenAll(first.CommitAsync(2000), second.CommitAsync(2000));
            await end(_trio.Nodes[leader]);
            await Task.WhenAll(MoreAsync(first), MoreAsync(second));
            GatewayStatistics[] done = [await first.StopAsync(), await second.StopAsync()];

            GatewayFindings findings = await first.ReadAsync();
            Assert.True(findings.IsComplete);
            Assert.Equal(2, findings.Keys.Count);
            Assert.Equal(done.Sum(static one => one.Committed), findings.Datagrams);
            Assert.All(done, static one => Assert.Equal((one.Accepted, 0L), (one.Committed, one.InDoubt)));
            Assert.All(findings.Keys, static key =>
                Assert.Equal((GatewayEpochState.Ended, 0L), (key.State, key.Reordered)));
            if (isConnectedOne) Assert.All(done, static one => Assert.True(one.Pipelines[0].ConnectionsLost > 0));
        }
        finally
        {
            // A stopped node too: it has missed what the others agreed on, and a restart lets it learn that.
            await _trio.Nodes[leader].KillAsync();
            await _trio.RestoreAsync(leader);
        }
    }

    private async Task<int> LeaderOfAsync(string stream)
    {
        string rows = await _trio.Nodes[0].ControlAsync("list_queues", "name", "leader");
        string row = rows.Split('\n').Single(one => one.StartsWith(stream + "\t", StringComparison.Ordinal));
        string name = row.Split('\t')[1].Trim();
        return _trio.Nodes.Select(static (node, index) => (node, index))
            .Single(one => one.node.Name.Equals(name, StringComparison.Ordinal)).index;
    }
}
