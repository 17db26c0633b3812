using Spate.Serving.Shards;
using Spate.Waiting;

namespace Spate.Serving.Threading;

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
