namespace Spate.Waiting;

/// <summary>
/// Other systems: each socket calls back when it is ready, once for each time it is asked, and the threads wait for a
/// common queue.
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
            // One wait: the caller looks at what ended it, and knows how much time is left.
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
