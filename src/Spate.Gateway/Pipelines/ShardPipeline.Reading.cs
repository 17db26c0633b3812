namespace Spate.Gateway.Pipelines;

/// <summary>What others see of the pipeline.</summary>
internal sealed partial class ShardPipeline
{
    /// <summary>A message that has waited so long for its confirm makes the pipeline lag.</summary>
    private static readonly TimeSpan LagsAfter = TimeSpan.FromSeconds(2);

    /// <summary>Why the last connection ended, or why the last attempt failed; null for neither.</summary>
    public string? LossReason
    {
        get
        {
            lock (_lock) return _lossReason;
        }
    }

    /// <summary>Lets an accounting message leave for each partition, with the kernel's drops as they are now.</summary>
    public void Heartbeat(long kernelDrops, UdpDropUnit unit)
    {
        lock (_lock) _accounting?.Heartbeat(kernelDrops, unit);
        Signal.Set();
    }

    /// <summary>All counts of one moment.</summary>
    public GatewayPipelineStatistics Read()
    {
        lock (_lock)
        {
            (long inDoubt, long inFlight) = _window.CountDatagrams();
            foreach (int count in _openCounts) inFlight += count;
            return new GatewayPipelineStatistics
            {
                ShardIndex = ShardIndex,
                State = StateInLock(),
                Accepted = _ledger.Accepted,
                Committed = _ledger.Committed,
                DroppedWindowFull = _ledger.DroppedFor(GatewayDropReason.WindowFull),
                DroppedRefused = _ledger.DroppedFor(GatewayDropReason.Refused),
                DroppedOversized = _ledger.DroppedFor(GatewayDropReason.Oversized),
                DroppedShutdown = _ledger.DroppedFor(GatewayDropReason.Shutdown),
                NotAllowed = _ledger.NotAllowed,
                InDoubt = inDoubt + _abandonedInDoubt,
                InFlight = inFlight + _waitingDatagrams,
                MessagesPublished = _publishedPacks,
                MessagesPublishedAgain = _publishedAgain,
                MessagesConfirmed = _confirmedPacks,
                MessagesUnconfirmed = _window.SentCount + _window.AgainCount,
                MessagesWaiting = _waiting.Count,
                ConnectionsLost = _lossCount,
                PackBytesUsed = (long)(_pool.MaxCount - _pool.FreeCount) * plan.PackBytes,
                MaxPackBytes = (long)_pool.MaxCount * plan.PackBytes,
            };
        }
    }

    private GatewayState StateInLock()
    {
        if (HasEnded) return GatewayState.Stopped;
        if (_isRefusedByHost) return GatewayState.Refused;
        if (!_isConnected) return _hasBeenConnected ? GatewayState.Disconnected : GatewayState.Starting;
        if (_blockedReason is not null) return GatewayState.Blocked;
        foreach (PackBuffer pack in _window.Packs)
        {
            if (pack.RefusalCount > 0) return GatewayState.Refused;
        }

        if (_window.Oldest is { } oldest)
        {
            if (plan.Time.GetElapsedTime(_progressAt) >= plan.StalledAfter) return GatewayState.Stalled;
            if (plan.Time.GetElapsedTime(oldest.PublishedAt) >= LagsAfter) return GatewayState.Lagging;
        }

        return _pool.FreeCount < _pool.MaxCount / 2 ? GatewayState.Lagging : GatewayState.Committing;
    }
}
