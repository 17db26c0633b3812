using System.Collections.Concurrent;
using Spate.Serving.Shards;
using Spate.Waiting;

namespace Spate.Serving.Designs;

/// <summary>
/// The way of batches from the thread that receives to those that handle, and back. There are as many batches as were
/// made at the start, so neither way can grow.
/// </summary>
internal sealed class BatchQueue(ActiveThreads workers, ThreadWaiter reader)
{
    private readonly ConcurrentQueue<ReceivedBatch> _filled = new();
    private ReceivedBatch? _returned;
    private int _waitingDatagrams;
    private int _readerStarves;

    public bool HasFilled => !_filled.IsEmpty;

    /// <summary>The reader hands a batch over.</summary>
    public void Push(ReceivedBatch batch)
    {
        int waiting = Interlocked.Add(ref _waitingDatagrams, batch.Batch.Count);
        _filled.Enqueue(batch);

        // The batch is in the queue before the reader asks which threads are awake. A thread that parks looks the other
        // way round, so one of the two sees the other.
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

    /// <summary>Any thread: puts a used batch on the stack of those that return to the reader.</summary>
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
    /// The reader: everything that came back since the last time, in one exchange, linked by
    /// <see cref="ReceivedBatch.Next"/>. The reader alone takes from the stack, so a node cannot return to it while the
    /// reader looks at the node.
    /// </summary>
    public ReceivedBatch? TakeReturned() => Interlocked.Exchange(ref _returned, null);

    /// <summary>The reader is about to sleep: one more worker takes what still waits, however little.</summary>
    public void WakeForLeftovers()
    {
        if (HasFilled) workers.OnLeftovers();
    }

    /// <summary>
    /// The reader has no batch left, and is woken by the next one that comes back. No more datagrams can come to wait
    /// until then, so one more worker is woken, however few wait.
    /// </summary>
    public void NoteStarving()
    {
        Interlocked.Exchange(ref _readerStarves, 1);
        if (HasFilled) workers.WakeOne();
    }
}
