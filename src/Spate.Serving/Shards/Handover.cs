using System.Collections.Concurrent;
using Spate.Waiting;

namespace Spate.Serving.Shards;

/// <summary>
/// The way of batches from the thread that receives to those that handle, and back. There are as many batches as were
/// made at the start, so neither way can grow.
/// </summary>
internal sealed class Handover(Crew crew, ThreadWaiter feeder)
{
    private readonly ConcurrentQueue<FilledBatch> _filled = new();
    private FilledBatch? _returned;
    private int _waitingDatagrams;
    private int _feederStarves;

    public bool HasFilled => !_filled.IsEmpty;

    public void Push(FilledBatch batch)
    {
        int waiting = Interlocked.Add(ref _waitingDatagrams, batch.Batch.Count);
        _filled.Enqueue(batch);

        // The batch is there before it is asked who is awake; who parks looks the other way round.
        Interlocked.MemoryBarrier();
        if (crew.AwakeCount == 0) crew.WakeOne();
        else crew.OnBacklog(waiting);
    }

    public bool TryTake(out FilledBatch? batch)
    {
        if (!_filled.TryDequeue(out batch)) return false;
        Interlocked.Add(ref _waitingDatagrams, -batch.Batch.Count);
        return true;
    }

    /// <summary>Any thread: puts a used batch on the stack of those that go back.</summary>
    public void GiveBack(FilledBatch batch)
    {
        FilledBatch? head;
        do
        {
            head = Volatile.Read(ref _returned);
            batch.Next = head;
        }
        while (Interlocked.CompareExchange(ref _returned, batch, head) != head);
        if (Interlocked.Exchange(ref _feederStarves, 0) == 1) feeder.Wake();
    }

    /// <summary>
    /// The feeder: everything that came back since the last time, in one exchange, linked by <see
    /// cref="FilledBatch.Next"/>. Nobody else takes from the stack, so a node cannot come back while it is looked at.
    /// </summary>
    public FilledBatch? TakeReturned() => Interlocked.Exchange(ref _returned, null);

    /// <summary>The feeder is about to sleep: one more worker takes what still waits, however little.</summary>
    public void WakeForLeftovers()
    {
        if (HasFilled) crew.OnLeftovers();
    }

    /// <summary>
    /// The feeder has no batch left: it is woken by the next one that comes back. Since no more can be waiting, one
    /// more worker is woken, however few datagrams that is.
    /// </summary>
    public void NoteStarving()
    {
        Interlocked.Exchange(ref _feederStarves, 1);
        if (HasFilled) crew.WakeOne();
    }
}
