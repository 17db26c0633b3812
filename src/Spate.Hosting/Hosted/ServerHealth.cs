using Microsoft.Extensions.Diagnostics.HealthChecks;
using Spate.Serving;

namespace Spate.Hosting.Hosted;

/// <summary>
/// Whether a server listens, drops or is stalled. Drops are judged between two checks; a handler is stalled if two
/// checks find it in the same call.
/// </summary>
internal sealed class ServerHealth(HostedServer hosted, UdpServerHealthThresholds thresholds, TimeProvider time)
    : IHealthCheck
{
    private readonly Lock _lock = new();
    private readonly Dictionary<int, (long Steps, long Timestamp)> _busy = [];
    private (long Timestamp, long Received, long Drops)? _last;
    private double _dropsPerSecond;
    private double _dropShare;

    public Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        lock (_lock) return Task.FromResult(Check(context.Registration.FailureStatus));
    }

    private HealthCheckResult Check(HealthStatus failure)
    {
        if (hosted.Server is not { } server) return new(failure, "The server has not started.");
        if (server.Completion.IsFaulted)
        {
            return new(failure, "The server has ended by an exception.", server.Completion.Exception?.InnerException);
        }

        if (server.Completion.IsCompleted) return new(failure, "The server has stopped.");
        UdpServerStatistics statistics = server.GetStatistics();
        JudgeDrops(statistics);
        int[] stalled = FindStalled();
        Dictionary<string, object> data = new(StringComparer.Ordinal)
        {
            ["endPoints"] = string.Join(", ", server.LocalEndPoints),
            ["handled"] = statistics.Handled,
            ["kernelDrops"] = statistics.Sockets.KernelDrops ?? -1,
            ["dropsPerSecond"] = _dropsPerSecond,
            ["dropShare"] = _dropShare,
            ["sessionsRefused"] = statistics.SessionsRefused.Total,
            ["stalledShards"] = stalled.Length,
        };
        if (stalled.Length > 0)
        {
            string shards = string.Join(", ", stalled);
            return new(
                failure,
                $"Stalled: a call of the handler of shard {shards} has lasted {thresholds.StalledAfter.TotalSeconds} s "
                + "or more.",
                data: data);
        }

        bool isDropping = _dropShare > thresholds.MaxDropShare || _dropsPerSecond > thresholds.MaxDropsPerSecond;
        return isDropping
            ? HealthCheckResult.Degraded(
                $"Dropping: {_dropsPerSecond:0.#} per second, {_dropShare:P1} of all arrivals.", data: data)
            : HealthCheckResult.Healthy("Listening.", data);
    }

    private void JudgeDrops(UdpServerStatistics statistics)
    {
        long now = time.GetTimestamp();
        long drops = (statistics.Sockets.KernelDrops ?? 0)
            + statistics.ChannelDrops
            + statistics.DatagramsFaulted();
        long received = statistics.Sockets.DatagramsReceived + (statistics.Sockets.KernelDrops ?? 0);
        if (_last is { } last)
        {
            TimeSpan elapsed = time.GetElapsedTime(last.Timestamp, now);
            if (elapsed < thresholds.MinInterval || elapsed <= TimeSpan.Zero) return;
            long grown = drops - last.Drops;
            _dropsPerSecond = grown / elapsed.TotalSeconds;
            _dropShare = grown == 0 ? 0 : Math.Min(1, grown / (double)Math.Max(1, received - last.Received));
        }

        _last = (now, received, drops);
    }

    private int[] FindStalled()
    {
        long now = time.GetTimestamp();
        List<int> stalled = [];
        foreach ((int shardIndex, HostedHandler handler) in hosted.Handlers)
        {
            long steps = handler.Steps;
            bool isSame = _busy.TryGetValue(shardIndex, out (long Steps, long Timestamp) seen) && seen.Steps == steps;
            if (!isSame) _busy[shardIndex] = (steps, now);
            else if (long.IsOddInteger(steps) && time.GetElapsedTime(seen.Timestamp, now) >= thresholds.StalledAfter)
            {
                stalled.Add(shardIndex);
            }
        }

        return [.. stalled.Order()];
    }
}
