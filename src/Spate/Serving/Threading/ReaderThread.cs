using Spate.Serving.Lifetime;
using Spate.Serving.Shards;
using Spate.Waiting;

namespace Spate.Serving.Threading;

/// <summary>
/// The reader: the thread that receives for the workers. It fills batches and passes them to the workers. While the
/// workers have all batches, datagrams wait in the socket; the system drops and counts the datagrams for which the
/// socket has no room.
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

    /// <param name="plan">The server's options with every default filled in.</param>
    /// <param name="sockets">The sockets from which the reader receives and through which the workers send.</param>
    /// <param name="source">The source that receives from these sockets. It has no batch of its own.</param>
    /// <param name="waiter">The waiter of the source.</param>
    /// <param name="queue">The queue from which the workers take batches.</param>
    /// <param name="batches">The batches that go back and forth between the reader and the workers.</param>
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
            // The sockets are empty. If filled batches still wait, the awake workers are busy in handlers, perhaps for
            // long, so another worker is woken.
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

        // Ends only receiving: the sockets stay open, because the workers still send through them. An io_uring must be
        // ended on the thread that used it.
        foreach (UdpSocket socket in _sockets) socket.EndReceiving();
    }

    /// <inheritdoc/>
    protected override void Wake() => _source.Wake();

    /// <summary>
    /// Disposes the source and counts the datagrams that are left. Called after the workers have ended.
    /// </summary>
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
