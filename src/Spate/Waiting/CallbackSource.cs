namespace Spate.Waiting;

/// <summary>
/// The poll source for systems other than Linux. Each socket calls back once per request when it is readable; all
/// threads wait on one common queue.
/// </summary>
internal sealed class CallbackSource : PollSource
{
    private readonly HashSet<PollEntry> _entries = [];
    private bool _disposed;

    /// <inheritdoc/>
    public override void Add(PollEntry entry)
    {
        lock (SyncRoot)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            _entries.Add(entry);
        }

        try
        {
            entry.Readiness = new PeekReadiness(entry.Socket, _ => OnReady(entry));
            entry.Readiness.Request(ReadyEvents.Readable);
        }
        catch
        {
            RemoveCore(entry);
            throw;
        }
    }

    /// <inheritdoc/>
    public override PollEntry[] All()
    {
        lock (SyncRoot) return [.. _entries];
    }

    /// <inheritdoc/>
    public override void Rearm(PollEntry entry)
    {
        if (!entry.HasLeft) entry.Readiness!.Request(ReadyEvents.Readable);
    }

    /// <inheritdoc/>
    public override void RetryLater(PollEntry entry)
    {
        entry.Release();
        entry.Readiness!.RequestLater(ReadyEvents.Readable);
    }

    /// <inheritdoc/>
    protected override void RemoveCore(PollEntry entry)
    {
        lock (SyncRoot) _entries.Remove(entry);
        entry.Readiness?.Dispose();
    }

    /// <inheritdoc/>
    protected override int WaitCore(Span<PollEntry> entries, int timeoutMilliseconds)
    {
        lock (SyncRoot)
        {
            // Waits once, not in a loop: the caller checks why the wait ended, and how much time is left.
            if (!HasReady && !HasStale && !_disposed && timeoutMilliseconds != 0)
            {
                Monitor.Wait(SyncRoot, timeoutMilliseconds);
            }
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

    private void OnReady(PollEntry entry)
    {
        if (entry.TryClaim()) Requeue(entry);
    }
}
