using Spate.Waiting;

namespace Spate.Serving.Shards;

/// <summary>
/// Batches straight from sockets, into the one batch that the thread has. The thread is a member of the crew where
/// there is one.
/// </summary>
internal sealed class SocketSource : BatchSource
{
    private readonly SocketSet _sockets;
    private readonly FilledBatch _batch;
    private readonly ThreadWaiter _waiter;

    public SocketSource(SocketSet sockets, ReceiveBatch batch, ThreadWaiter waiter, Crew? crew)
        : base(crew)
    {
        _sockets = sockets;
        _batch = new FilledBatch(batch);
        _waiter = waiter;
    }

    /// <inheritdoc/>
    public override long Sleeps => _waiter.Sleeps;

    /// <inheritdoc/>
    public override FilledBatch? Take(int timeoutMilliseconds) =>
        _sockets.Receive(_batch, timeoutMilliseconds) ? _batch : null;

    /// <inheritdoc/>
    public override void GiveBack(FilledBatch batch)
    {
        // The next receive into it takes its memory back.
    }

    /// <inheritdoc/>
    public override void Wake() => _waiter.Wake();

    /// <inheritdoc/>
    public override void Dispose()
    {
        LeaveCrew();
        _batch.Dispose();
        _waiter.Dispose();
    }
}
