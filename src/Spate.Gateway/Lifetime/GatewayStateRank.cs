namespace Spate.Gateway.Lifetime;

/// <summary>
/// Which of several states counts. The rank is not the number of a state, so that a state can be added between others.
/// </summary>
internal static class GatewayStateRank
{
    // From the best to the worst.
    private static readonly GatewayState[] Ranks =
    [
        GatewayState.Starting,
        GatewayState.Committing,
        GatewayState.Lagging,
        GatewayState.Blocked,
        GatewayState.Disconnected,
        GatewayState.Stalled,
        GatewayState.Refused,
        GatewayState.Stopping,
        GatewayState.Stopped,
    ];

    public static GatewayState WorstOf(IReadOnlyList<GatewayPipelineStatistics> pipelines)
    {
        int rank = 0;
        foreach (GatewayPipelineStatistics pipeline in pipelines)
        {
            rank = Math.Max(rank, Array.IndexOf(Ranks, pipeline.State));
        }

        return Ranks[rank];
    }
}
