using Spate.Backends.Readiness;

namespace Spate.Serving;

/// <summary>Batches straight from sockets, into the one batch that the thread has.</summary>
internal sealed class SocketSource(SocketSet sockets, ReceiveBatch batch, ThreadWaiter waiter) : BatchSource
{
    private readonly FilledBatch _batch = new(batch);

    /// <inheritdoc/>
    public override long Sleeps => waiter.Sleeps;

    /// <inheritdoc/>
    public override FilledBatch? Take(int timeoutMilliseconds) =>
        sockets.Receive(_batch, timeoutMilliseconds) ? _batch : null;

    /// <inheritdoc/>
    public override void GiveBack(FilledBatch batch)
    {
        // The next receive into it takes its memory back.
    }

    /// <inheritdoc/>
    public override void Wake() => waiter.Wake();

    /// <inheritdoc/>
    public override void Dispose()
    {
        _batch.Batch.Dispose();
        waiter.Dispose();
    }
}
