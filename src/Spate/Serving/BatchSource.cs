namespace Spate.Serving;

/// <summary>
/// Where a thread of a server gets its batches from: the part in which the designs differ. Used by its thread only,
/// but for <see cref="Wake"/>.
/// </summary>
internal abstract class BatchSource : IDisposable
{
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

    public abstract void Dispose();
}
