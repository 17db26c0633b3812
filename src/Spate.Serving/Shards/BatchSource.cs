namespace Spate.Serving.Shards;

/// <summary>
/// Where a thread of a server gets its batches from: the part in which the designs differ. Used by its thread only,
/// but for <see cref="Wake"/> and <see cref="LeaveCrew"/>.
/// </summary>
internal abstract class BatchSource : IDisposable
{
    private readonly Crew? _crew;
    private int _hasLeft;

    /// <param name="crew">What the thread is a member of from now on; null where all are awake.</param>
    protected BatchSource(Crew? crew)
    {
        _crew = crew;
        crew?.Join();
    }

    /// <summary>
    /// A batch with at least one datagram, waiting for it at most this long (-1 for ever, 0 not at all); null when
    /// there was none or the thread was woken. The caller gives it back before it asks again.
    /// </summary>
    public abstract FilledBatch? Take(int timeoutMilliseconds);

    public abstract void GiveBack(FilledBatch batch);

    /// <summary>Ends a wait that is under way, or the next one. Any thread.</summary>
    public abstract void Wake();

    /// <summary>Times the thread went to sleep.</summary>
    public abstract long Sleeps { get; }

    /// <summary>
    /// The others no longer count on this thread to be awake: it ends, or is left behind in a handler. Any thread.
    /// </summary>
    public void LeaveCrew()
    {
        if (Interlocked.Exchange(ref _hasLeft, 1) == 0) _crew?.Leave();
    }

    public abstract void Dispose();
}
