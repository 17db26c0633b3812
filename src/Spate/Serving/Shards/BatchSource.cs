using Spate.Serving.Threading;
using Spate.Waiting;

namespace Spate.Serving.Shards;

/// <summary>
/// The source from which a thread takes its batches. Depending on the design, it receives from sockets or takes the
/// batches that a reader has filled. Only that thread uses the source, except for <see cref="Wake"/> and
/// <see cref="Leave"/>, which any thread may call.
/// </summary>
internal abstract class BatchSource : IDisposable
{
    private int _hasLeft;

    /// <param name="waiter">The waiter in which the thread sleeps. The source disposes it.</param>
    /// <param name="active">
    /// The set of threads that this thread joins; null in designs whose threads do not park.
    /// </param>
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
    /// Takes a batch with at least one datagram, and waits for it at most this long (-1: forever, 0: not at all).
    /// Returns null if no datagram came or the thread was woken. The caller must pass the batch to
    /// <see cref="GiveBack"/> before it calls this method again.
    /// </summary>
    public abstract ReceivedBatch? Take(int timeoutMilliseconds);

    public abstract void GiveBack(ReceivedBatch batch);

    /// <summary>
    /// Ends the thread's present wait or, if the thread is not waiting now, its next wait. Any thread may call this
    /// method.
    /// </summary>
    public void Wake() => Waiter.Wake();

    /// <summary>
    /// Removes this thread from <see cref="Active"/>, so that it no longer counts as a thread that takes batches.
    /// Called when the thread ends or when its handler does not return. Any thread may call this method.
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
/// A batch, with the local end point that received it. The object is also a node of the stack through which used
/// batches return to the reader.
/// </summary>
internal sealed class ReceivedBatch : IDisposable
{
    public ReceivedBatch(ReceiveBatch batch)
    {
        Batch = batch;
        batch.IsLent = true;
    }

    /// <summary>The batch itself. It is lent to handlers: if a handler disposes it, nothing happens.</summary>
    public ReceiveBatch Batch { get; }

    public int LocalEndPointIndex { get; set; }

    /// <summary>The next batch on the stack. Only the thread that has this batch may change the link.</summary>
    public ReceivedBatch? Next { get; set; }

    public void Dispose()
    {
        Batch.IsLent = false;
        Batch.Dispose();
    }
}
