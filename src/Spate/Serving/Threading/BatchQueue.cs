using System.Collections.Concurrent;
using Spate.Serving.Shards;
using Spate.Waiting;

namespace Spate.Serving.Threading;

/// <summary>
/// Passes batches from the thread that receives to those that handle, and back. The number of batches is limited, so
/// neither direction can grow without bound.
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

        // The reader queues the batch before it reads the number of awake threads. A thread that parks counts itself
        // before it reads the queue. So at least one of the two sees the other.
        Interlocked.MemoryBarrier();
        if (workers.AwakeCount == 0) workers.WakeOne();
        else workers.OnBacklog(waiting);
    }

    public bool TryTake(out ReceivedBatch? batch)
    {
        if (!_filled.TryDequeue(out batch)) return false;
        Interlocked.Add(ref _waitingDatagrams, -batch.Batch.Count);
        return true;
    }

    /// <summary>Puts a used batch on the stack from which the reader takes them. Any thread may call.</summary>
    public void GiveBack(ReceivedBatch batch)
    {
        ReceivedBatch? head;
        do
        {
            head = Volatile.Read(ref _returned);
            batch.Next = head;
        }
        while (Interlocked.CompareExchange(ref _returned, batch, head) != head);
        if (Interlocked.Exchange(ref _readerStarves, 0) == 1) reader.Wake();
    }

    /// <summary>
    /// Called by the reader: takes all used batches in one exchange, linked by <see cref="ReceivedBatch.Next"/>. Only
    /// the reader takes from the stack, so no batch can return to it while the reader follows the links.
    /// </summary>
    public ReceivedBatch? TakeReturned() => Interlocked.Exchange(ref _returned, null);

    /// <summary>Called by the reader before it sleeps: wakes one more worker if anything still waits.</summary>
    public void WakeForLeftovers()
    {
        if (HasFilled) workers.OnLeftovers();
    }

    /// <summary>
    /// Called by the reader when it has no batch left: the next batch that comes back wakes it. The number of waiting
    /// datagrams cannot grow to the threshold meanwhile, so one more worker is woken if anything waits.
    /// </summary>
    public void NoteStarving()
    {
        Interlocked.Exchange(ref _readerStarves, 1);
        if (HasFilled) workers.WakeOne();
    }
}
