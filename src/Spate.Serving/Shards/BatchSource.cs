using Spate.Serving.Designs;
using Spate.Waiting;

namespace Spate.Serving.Shards;

/// <summary>
/// Where a thread gets its batches from: the part in which the designs differ. Used by that thread only, except for
/// <see cref="Wake"/> and <see cref="Leave"/>.
/// </summary>
internal abstract class BatchSource : IDisposable
{
    private int _hasLeft;

    /// <param name="waiter">How the thread sleeps; disposed with the source.</param>
    /// <param name="active">The threads of which the thread is one from now on; null where none of them parks.</param>
    protected BatchSource(ThreadWaiter waiter, ActiveThreads? active)
    {
        Waiter = waiter;
        Active = active;
        active?.Join();
    }

    /// <summary>Times the thread went to sleep.</summary>
    public long Sleeps => Waiter.Sleeps;

    protected ThreadWaiter Waiter { get; }

    protected ActiveThreads? Active { get; }

    /// <summary>
    /// A batch with at least one datagram, waiting for it at most this long (-1 for ever, 0 not at all). Null when
    /// there was none or the thread was woken. The caller gives the batch back before it asks again.
    /// </summary>
    public abstract ReceivedBatch? Take(int timeoutMilliseconds);

    public abstract void GiveBack(ReceivedBatch batch);

    /// <summary>Ends a wait that is under way, or the next one. Any thread.</summary>
    public void Wake() => Waiter.Wake();

    /// <summary>
    /// The other threads no longer count on this one to be awake: it ends, or a handler does not return. Any thread.
    /// </summary>
    public void Leave()
    {
        if (Interlocked.Exchange(ref _hasLeft, 1) == 0) Active?.Leave();
    }

    public virtual void Dispose()
    {
        Leave();
        Waiter.Dispose();
    }
}

/// <summary>
/// A batch and the local end point that it was received at. Also a node of the stack on which used batches return to
/// the thread that receives for others.
/// </summary>
internal sealed class ReceivedBatch : IDisposable
{
    public ReceivedBatch(ReceiveBatch batch)
    {
        Batch = batch;
        batch.IsLent = true;
    }

    /// <summary>Lent to handlers, which must not dispose it.</summary>
    public ReceiveBatch Batch { get; }

    public int LocalIndex { get; set; }

    /// <summary>Belongs to the thread that has the batch, or to the stack that the batch lies on.</summary>
    public ReceivedBatch? Next { get; set; }

    public void Dispose()
    {
        Batch.IsLent = false;
        Batch.Dispose();
    }
}
