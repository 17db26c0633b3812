using Spate.Serving.Lifetime;
using Spate.Serving.Shards;
using Spate.Waiting;

namespace Spate.Serving.Threading;

/// <summary>Makes the threads of a design from their parts: sockets, a source of batches, and the loop.</summary>
internal sealed class ThreadFactory(ResolvedServerOptions plan, ServerSockets sockets)
{
    private readonly ActiveThreads _active = new(plan.Options.WakeThreshold);
    private UdpSocket[]? _shared;
    private BatchQueue? _queue;
    private int _batchCount = plan.BatchCount;

    /// <summary>
    /// Makes the reader, or returns null if the design has none. Called before the first shard is made.
    /// </summary>
    public ReaderThread? MakeReader()
    {
        if (!plan.Traits.HasReader) return null;
        _shared = sockets.Open();
        ReceivedBatch[] batches = MakeBatches(plan.BatchCount);

        // The waiter is made after everything that can fail, because after a failure nothing would close the waiter.
        ThreadWaiter waiter = UdpSocket.CreateWaiter(_shared);
        _queue = new BatchQueue(_active, waiter);
        SocketSource source = new(_shared, batch: null, waiter, MakeSpinner(), active: null);
        return new ReaderThread(plan, _shared, source, waiter, _queue, batches, sockets.CountUnhandled);
    }

    /// <summary>
    /// Makes more batches after threads were added, unless the options set the number of batches. The new batches enter
    /// the queue by <see cref="BatchQueue.GiveBack"/>, like used batches, and any thread may call that method.
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

    // Called on a thread as its last step: closes the sockets that belong to it alone. The thread does this itself,
    // because only the thread that used an io_uring can empty that ring.
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
