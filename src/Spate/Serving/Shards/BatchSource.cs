using Spate.Serving.Threading;
using Spate.Waiting;

namespace Spate.Serving.Shards;

/// <summary>
/// The source of a thread's batches, in which the designs differ. Only that thread uses it, except for
/// <see cref="Wake"/> and <see cref="Leave"/>, which any thread may call.
/// </summary>
internal abstract class BatchSource : IDisposable
{
    private int _hasLeft;

    /// <param name="waiter">The waiter in which the thread sleeps. The source disposes it.</param>
    /// <param name="active">The threads that this one joins; null in designs whose threads do not park.</param>
    protected BatchSource(ThreadWaiter waiter, ActiveThreads? active)
    {
        Waiter = waiter;
        Active = active;
        active?.Join();
    }

    /// <summary>How many times the thread has slept.</summary>
    public long Sleeps => Waiter.Sleeps;

    protected ThreadWaiter Waiter { get; }

    protected ActiveThreads? Active { get; }

    /// <summary>
    /// Waits at most this long for a batch with at least one datagram (-1: forever, 0: not at all). Returns null if no
    /// datagram came or the thread was woken. The caller passes the batch to <see cref="GiveBack"/> before its next
    /// call.
    /// </summary>
    public abstract ReceivedBatch? Take(int timeoutMilliseconds);

    public abstract void GiveBack(ReceivedBatch batch);

    /// <summary>Ends the wait that is under way, or else the next one. Any thread may call.</summary>
    public void Wake() => Waiter.Wake();

    /// <summary>
    /// Removes this thread from the threads that others rely on, because it ends or its handler does not return. Any
    /// thread may call.
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

    /// <summary>Lent to handlers, which cannot dispose it.</summary>
    public ReceiveBatch Batch { get; }

    public int LocalIndex { get; set; }

    /// <summary>The next batch of a stack. Only the thread that has this batch may change it.</summary>
    public ReceivedBatch? Next { get; set; }

    public void Dispose()
    {
        Batch.IsLent = false;
        Batch.Dispose();
    }
}
