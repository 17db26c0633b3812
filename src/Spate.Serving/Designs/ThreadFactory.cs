using Spate.Serving.Lifetime;
using Spate.Serving.Shards;
using Spate.Waiting;

namespace Spate.Serving.Designs;

/// <summary>Puts the parts of a design together: sockets, source of batches, loop.</summary>
internal sealed class ThreadFactory(ServerPlan plan, ServerSockets sockets)
{
    private readonly ActiveThreads _active = new(plan.Options.WakeThreshold);
    private UdpSocket[]? _shared;
    private BatchQueue? _queue;
    private int _batchCount = plan.BatchCount;

    /// <summary>The thread that receives for others, in the designs that have one; before the first shard.</summary>
    public ReaderThread? MakeReader()
    {
        if (!plan.Traits.HasReader) return null;
        _shared = sockets.Open();
        ReceivedBatch[] batches = MakeBatches(plan.BatchCount);

        // Last, since nothing closes the waiter where something after it fails.
        ThreadWaiter waiter = UdpSocket.CreateWaiter(_shared);
        _queue = new BatchQueue(_active, waiter);
        SocketSource source = new(_shared, batch: null, waiter, MakeSpinner(), active: null);
        return new ReaderThread(plan, _shared, source, waiter, _queue, batches, sockets.CountUnhandled);
    }

    /// <summary>
    /// Makes more batches where more threads work on them, unless their number was given. They enter by the way on
    /// which used ones come back, which any thread may take.
    /// </summary>
    public void FitBatches()
    {
        if (_queue is null) return;
        foreach (ReceivedBatch batch in MakeBatches(Math.Max(0, plan.BatchCount - _batchCount)))
            _queue.GiveBack(batch);
        _batchCount = Math.Max(_batchCount, plan.BatchCount);
    }

    public ShardThread MakeShard(int index)
    {
        UdpSocket[] own = plan.Traits.SharesSocket ? _shared ??= sockets.Open() : sockets.Open();
        ReplyQueue[] replies = [.. own.Select(socket => new ReplyQueue(socket, plan.RepliesFor(socket)))];
        return new ShardThread(plan, index, replies, () => MakeSource(own), thread => OnFinished(thread, own));
    }

    private BatchSource MakeSource(UdpSocket[] own)
    {
        if (_queue is not null) return new WorkerSource(_queue, UdpSocket.CreateWaiter([]), _active);
        ReceivedBatch batch = new(own[0].CreateReceiveBatch(plan.Receive));
        ActiveThreads? active = plan.Traits.ParksThreads ? _active : null;
        return new SocketSource(own, batch, UdpSocket.CreateWaiter(own), MakeSpinner(), active);
    }

    private Spinner? MakeSpinner() => Spinner.Create(plan.Wait, plan.Options.SpinOnLastCpu);

    private ReceivedBatch[] MakeBatches(int count)
    {
        var batches = new ReceivedBatch[count];
        for (int i = 0; i < count; i++)
            batches[i] = new ReceivedBatch(_shared![0].CreateReceiveBatch(plan.Options.Receive));
        return batches;
    }

    // A thread closes the sockets that are its own, since a ring can only be emptied by the thread that used it.
    private void OnFinished(ShardThread thread, UdpSocket[] own)
    {
        if (plan.Traits.SharesSocket) return;
        try
        {
            if (!thread.HasDrained) sockets.CountUnhandled(own);
        }
        finally
        {
            foreach (UdpSocket socket in own) socket.Dispose();
        }
    }
}
