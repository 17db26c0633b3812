using System.Collections.Concurrent;
using System.Diagnostics;
using Spate.Serving.Shards;
using Spate.Waiting;

namespace Spate.Serving.Threading;

/// <summary>
/// Passes filled batches from the reader to the workers, and used batches back to the reader. The number of batches is
/// limited, so neither the queue nor the stack of used batches can grow without bound.
/// </summary>
internal sealed class BatchQueue(ActiveThreads workers, ThreadWaiter reader)
{
    private readonly ConcurrentQueue<ReceivedBatch> _filled = new();
    private ReceivedBatch? _returned;
    private int _waitingDatagrams;
    private int _readerStarves;

    public bool HasFilled => !_filled.IsEmpty;

    /// <summary>Called by the reader: passes a filled batch to the workers.</summary>
    public void Push(ReceivedBatch batch)
    {
        int waiting = Interlocked.Add(ref _waitingDatagrams, batch.Batch.Count);
        _filled.Enqueue(batch);

        // The reader adds the batch before it reads the number of awake threads. A worker that parks is counted as
        // parked before it reads the queue. So at least one of the two threads sees the step of the other.
        Interlocked.MemoryBarrier();
        if (workers.AwakeCount == 0) workers.WakeOne();
        else workers.OnBacklog(waiting);
    }

    public bool TryTake(out ReceivedBatch? batch)
    {
        if (!_filled.TryDequeue(out batch)) return false;
        int waiting = Interlocked.Add(ref _waitingDatagrams, -batch.Batch.Count);
        Debug.Assert(waiting >= 0, "The datagrams of a batch are counted before it can be taken.");
        return true;
    }

    /// <summary>
    /// Returns a used batch to the reader, by putting it on a stack. Any thread may call this method.
    /// </summary>
    public void GiveBack(ReceivedBatch batch)
    {
        ReceivedBatch? head;
        do
        {
            head = Volatile.Read(ref _returned);
            Debug.Assert(head != batch, "The batch was given back already.");
            batch.Next = head;
        }
        while (Interlocked.CompareExchange(ref _returned, batch, head) != head);
        if (Interlocked.Exchange(ref _readerStarves, 0) == 1) reader.Wake();
    }

    /// <summary>
    /// Called by the reader: takes all used batches in one exchange, linked by <see cref="ReceivedBatch.Next"/>. Only
    /// the reader takes batches from the stack, so no batch can return to the stack while the reader follows the links.
    /// </summary>
    public ReceivedBatch? TakeReturned() => Interlocked.Exchange(ref _returned, null);

    /// <summary>Called by the reader before it sleeps: wakes one more worker if filled batches still wait.</summary>
    public void WakeForLeftovers()
    {
        if (HasFilled) workers.OnLeftovers();
    }

    /// <summary>
    /// Called by the reader when it has no batch to fill: the next batch that is returned will wake the reader. Until
    /// then nothing is added to the queue, so the threshold at which <see cref="ActiveThreads"/> wakes workers may
    /// never be reached. So this method itself wakes one more worker if filled batches wait.
    /// </summary>
    public void NoteStarving()
    {
        Interlocked.Exchange(ref _readerStarves, 1);
        if (HasFilled) workers.WakeOne();
    }
}

/// <summary>The source of a worker: takes the batches that the reader has filled.</summary>
internal sealed class WorkerSource(BatchQueue queue, ThreadWaiter waiter, ActiveThreads workers)
    : BatchSource(waiter, workers)
{
    /// <inheritdoc/>
    public override ReceivedBatch? Take(int timeoutMilliseconds)
    {
        if (queue.TryTake(out ReceivedBatch? batch)) return batch;
        if (timeoutMilliseconds == 0) return null;
        Active!.TryBeginPark(Waiter, keepsOneAwake: false);
        if (!queue.HasFilled) Waiter.Sleep(timeoutMilliseconds, forSockets: false);
        Active.EndPark(Waiter);
        return queue.TryTake(out batch) ? batch : null;
    }

    /// <inheritdoc/>
    public override void GiveBack(ReceivedBatch batch) => queue.GiveBack(batch);
}
