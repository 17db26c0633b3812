using Spate.Gateway;
using Spate.Gateway.Lifetime;

namespace Spate.Tests.Gateway.Lifetime;

/// <summary>Of several pipelines the worst state is the gateway's.</summary>
public sealed class GatewayStateRankTests
{
    [Theory]
    [InlineData(GatewayState.Starting)]
    [InlineData(GatewayState.Starting, GatewayState.Starting, GatewayState.Starting)]
    [InlineData(GatewayState.Committing, GatewayState.Committing, GatewayState.Starting)]
    [InlineData(GatewayState.Blocked, GatewayState.Lagging, GatewayState.Blocked, GatewayState.Committing)]
    [InlineData(GatewayState.Stalled, GatewayState.Disconnected, GatewayState.Stalled)]
    [InlineData(GatewayState.Refused, GatewayState.Refused, GatewayState.Stalled)]
    [InlineData(GatewayState.Stopped, GatewayState.Refused, GatewayState.Stopped)]
    public void WorstOf_SeveralPipelines_IsTheWorst(GatewayState expected, params GatewayState[] states) =>
        Assert.Equal(expected, GatewayStateRank.WorstOf([.. states.Select(Pipeline)]));

    [Fact]
    public void WorstOf_EveryState_HasARank() => Assert.All(
        Enum.GetValues<GatewayState>(),
        state => Assert.Equal(state, GatewayStateRank.WorstOf([Pipeline(GatewayState.Starting), Pipeline(state)])));

    private static GatewayPipelineStatistics Pipeline(GatewayState state) => new() { ShardIndex = 0, State = state };
}
