using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// Everywhere else: each socket tells by callback that it is ready, once for each time it is asked, and the threads
/// wait for a common queue.
/// </summary>
internal sealed class CallbackSource : PollSource
{
    private bool _disposed;

    /// <inheritdoc/>
    public override void Add(PollEntry entry, DatagramBackend backend)
    {
        lock (SyncRoot)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            Entries.Add(entry);
        }

        try
        {
            entry.Readiness = backend.CreateReadiness(_ => OnReady(entry));
            entry.Readiness.Request(ReadyEvents.Readable);
        }
        catch
        {
            RemoveCore(entry);
            throw;
        }
    }

    /// <inheritdoc/>
    public override void Rearm(PollEntry entry)
    {
        if (!entry.HasLeft) entry.Readiness!.Request(ReadyEvents.Readable);
    }

    /// <inheritdoc/>
    protected override void RemoveCore(PollEntry entry)
    {
        Entries.Remove(entry);
        entry.Readiness?.Dispose();
    }

    /// <inheritdoc/>
    protected override int WaitCore(PollEntry[] entries, int first, int timeoutMilliseconds)
    {
        lock (SyncRoot)
        {
            // One wait: what ends it is looked at by the caller, who also knows how much time is left.
            if (!HasReady && !HasStale && !_disposed && timeoutMilliseconds != 0)
                Monitor.Wait(SyncRoot, timeoutMilliseconds);
        }

        return 0;
    }

    /// <inheritdoc/>
    protected override void Signal() => Monitor.PulseAll(SyncRoot);

    /// <inheritdoc/>
    protected override void DisposeCore()
    {
        lock (SyncRoot) _disposed = true;
    }
}
