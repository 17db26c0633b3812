using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Spate.Gateway.Hosted;

/// <summary>Whether a gateway listens and commits. Drops are judged between two checks.</summary>
internal sealed class GatewayHealth(HostedGateway hosted, GatewayHealthThresholds thresholds, TimeProvider time)
    : IHealthCheck
{
    private readonly Lock _lock = new();
    private (long Timestamp, long Accepted, long Dropped)? _last;
    private double _dropShare;

    public Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        lock (_lock) return Task.FromResult(Check(context.Registration.FailureStatus));
    }

    private HealthCheckResult Check(HealthStatus failure)
    {
        if (hosted.Gateway is not { } gateway) return new(failure, "The gateway has not started.");
        if (gateway.Completion.IsFaulted)
        {
            return new(failure, "The gateway has ended by an exception.", gateway.Completion.Exception?.InnerException);
        }

        GatewayStatistics statistics = gateway.GetStatistics();
        JudgeDrops(statistics);
        Dictionary<string, object> data = new(StringComparer.Ordinal)
        {
            ["endPoints"] = string.Join(", ", gateway.LocalEndPoints),
            ["state"] = statistics.State.ToString(),
            ["accepted"] = statistics.Accepted,
            ["committed"] = statistics.Committed,
            ["dropped"] = statistics.Dropped,
            ["inDoubt"] = statistics.InDoubt,
            ["inFlight"] = statistics.InFlight,
            ["kernelDrops"] = statistics.KernelDrops ?? -1,
            ["dropShare"] = _dropShare,
        };
        string text = TextOf(statistics.State);
        return statistics.State switch
        {
            GatewayState.Committing when _dropShare > (thresholds.MaxDropShare ?? 1) =>
                HealthCheckResult.Degraded($"Listening, committing and dropping {_dropShare:P1}.", data: data),
            GatewayState.Committing => HealthCheckResult.Healthy(text, data),
            GatewayState.Lagging or GatewayState.Blocked or GatewayState.Stopping =>
                HealthCheckResult.Degraded(text, data: data),
            _ => new(failure, text, data: data),
        };
    }

    private static string TextOf(GatewayState state) => state switch
    {
        GatewayState.Starting => "Starting: there has been no connection yet.",
        GatewayState.Committing => "Listening and committing.",
        GatewayState.Lagging => "Lagging: the broker takes less than what comes.",
        GatewayState.Blocked => "Blocked: the broker is short of memory or disk.",
        GatewayState.Disconnected => "Disconnected: no broker can be reached.",
        GatewayState.Stalled => "Stalled: the broker confirms nothing.",
        GatewayState.Refused => "Refused: the broker refuses messages or the connection.",
        GatewayState.Stopping => "Stopping.",
        _ => "The gateway has stopped.",
    };

    private void JudgeDrops(GatewayStatistics statistics)
    {
        long now = time.GetTimestamp();
        long accepted = statistics.Accepted - statistics.NotAllowed;
        long dropped = statistics.Dropped - statistics.NotAllowed;
        if (_last is { } last)
        {
            TimeSpan elapsed = time.GetElapsedTime(last.Timestamp, now);
            if (elapsed < thresholds.MinInterval || elapsed <= TimeSpan.Zero) return;
            long grown = dropped - last.Dropped;
            _dropShare = grown == 0 ? 0 : Math.Min(1, grown / (double)Math.Max(1, accepted - last.Accepted));
        }

        _last = (now, accepted, dropped);
    }
}
