using Spate.Serving.Lifetime;
using Spate.Serving.Shards;
using Spate.Waiting;

namespace Spate.Serving.Threading;

/// <summary>
/// The thread that receives for others. It fills batches and passes them to the workers. While the workers have all
/// batches, datagrams wait in the socket, and the system counts the datagrams that it drops.
/// </summary>
internal sealed class ReaderThread : ServerThread
{
    private readonly UdpSocket[] _sockets;
    private readonly SocketSource _source;
    private readonly ThreadWaiter _waiter;
    private readonly BatchQueue _queue;
    private readonly Action<UdpSocket[]> _countUnhandled;
    private readonly ThreadCounters _counters = new();
    private ReceivedBatch? _free;

    /// <param name="plan">The server's plan.</param>
    /// <param name="sockets">The sockets from which it receives and by which the workers send.</param>
    /// <param name="source">A source for the sockets, without a batch.</param>
    /// <param name="waiter">The waiter of the source.</param>
    /// <param name="queue">The queue from which the workers take batches.</param>
    /// <param name="batches">The batches of the server.</param>
    /// <param name="countUnhandled">Counts the datagrams that are still queued in the sockets at the end.</param>
    public ReaderThread(
        ResolvedServerOptions plan,
        UdpSocket[] sockets,
        SocketSource source,
        ThreadWaiter waiter,
        BatchQueue queue,
        IEnumerable<ReceivedBatch> batches,
        Action<UdpSocket[]> countUnhandled)
        : base(plan, "Spate receiver", ResolvedServerOptions.ReaderIndex)
    {
        _sockets = sockets;
        _source = source;
        _waiter = waiter;
        _queue = queue;
        _countUnhandled = countUnhandled;
        foreach (ReceivedBatch batch in batches)
        {
            batch.Next = _free;
            _free = batch;
        }
    }

    /// <inheritdoc/>
    protected override int PassMilliseconds => -1;

    /// <inheritdoc/>
    protected override UdpThreadStatistics ReadCounters() =>
        _counters.Read() with { ShardIndex = ResolvedServerOptions.ReaderIndex, Sleeps = _source.Sleeps };

    /// <inheritdoc/>
    protected override void Prepare()
    {
    }

    /// <inheritdoc/>
    protected override bool Pass(int timeoutMilliseconds)
    {
        if (!HasFree())
        {
            WaitForReturn(timeoutMilliseconds);
            return true;
        }

        ReceivedBatch batch = _free!;
        if (!_source.Receive(batch, 0))
        {
            // Batches that still wait mean that the awake workers are busy in handlers, perhaps for long.
            _queue.WakeForLeftovers();
            if (timeoutMilliseconds == 0 || !_source.Receive(batch, timeoutMilliseconds)) return false;
        }

        _free = batch.Next;
        _counters.CountCall(batch.Batch.Count, batch.Batch.ByteCount);
        _queue.Push(batch);
        return true;
    }

    /// <inheritdoc/>
    protected override void Finish()
    {
        if (!HasDrained) _countUnhandled(_sockets);

        // The workers still send by these sockets, so they stay open. A ring must end on the thread that used it.
        foreach (UdpSocket socket in _sockets) socket.EndReceiving();
    }

    /// <inheritdoc/>
    protected override void Wake() => _source.Wake();

    /// <summary>Called after the workers have ended.</summary>
    /// <returns>The number of datagrams that no worker took.</returns>
    public long Release()
    {
        _source.Dispose();
        long unhandled = 0;
        while (_queue.TryTake(out ReceivedBatch? batch)) unhandled += batch!.Batch.Count;
        return unhandled;
    }

    private bool HasFree()
    {
        _free ??= _queue.TakeReturned();
        return _free is not null;
    }

    private void WaitForReturn(int timeoutMilliseconds)
    {
        _queue.NoteStarving();
        if (!HasFree()) _waiter.Sleep(timeoutMilliseconds, forSockets: false);
    }
}
