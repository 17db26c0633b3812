using Spate.Waiting;

namespace Spate.Serving.Shards;

/// <summary>
/// The thread that receives for others: fills batches as long as it has any and hands them over. When all are with the
/// workers, datagrams wait in the socket, where the system counts what it has to drop.
/// </summary>
internal sealed class FeederThread : ServerThread
{
    private readonly UdpSocket[] _sockets;
    private readonly SocketSet _set;
    private readonly ThreadWaiter _waiter;
    private readonly Handover _handover;
    private readonly Action<UdpSocket[]> _countUnhandled;
    private readonly ThreadTally _tally = new();
    private FilledBatch? _free;

    public FeederThread(
        ServerPlan plan,
        UdpSocket[] sockets,
        SocketSet set,
        ThreadWaiter waiter,
        Handover handover,
        IEnumerable<FilledBatch> batches,
        Action<UdpSocket[]> countUnhandled)
        : base(plan, "Spate receiver", ServerPlan.FeederIndex)
    {
        _sockets = sockets;
        _set = set;
        _waiter = waiter;
        _handover = handover;
        _countUnhandled = countUnhandled;
        foreach (FilledBatch batch in batches)
        {
            batch.Next = _free;
            _free = batch;
        }
    }

    /// <inheritdoc/>
    protected override int TurnMilliseconds => -1;

    /// <inheritdoc/>
    protected override UdpThreadStatistics ReadTally() =>
        _tally.Read() with { ShardIndex = ServerPlan.FeederIndex, Sleeps = _waiter.Sleeps };

    /// <inheritdoc/>
    protected override void Prepare()
    {
    }

    /// <inheritdoc/>
    protected override bool Turn(int timeoutMilliseconds)
    {
        if (!HasFree())
        {
            WaitForReturn(timeoutMilliseconds);
            return true;
        }

        FilledBatch batch = _free!;
        if (!_set.Receive(batch, 0))
        {
            // Whoever is awake is busy with a handler, perhaps for long, since what was handed over still lies there.
            _handover.WakeForLeftovers();
            if (timeoutMilliseconds == 0 || !_set.Receive(batch, timeoutMilliseconds)) return false;
        }

        _free = batch.Next;
        _tally.CountCall(batch.Batch.Count, batch.Batch.ByteCount);
        _handover.Push(batch);
        return true;
    }

    /// <inheritdoc/>
    protected override void Finish()
    {
        if (!HasDrained) _countUnhandled(_sockets);

        // The workers still send by its sockets; Release comes after them. A ring is this thread's to end.
        foreach (UdpSocket socket in _sockets) socket.EndReceiving();
    }

    /// <inheritdoc/>
    protected override void Wake() => _waiter.Wake();

    /// <summary>After the workers have ended too.</summary>
    /// <returns>How many datagrams no worker took.</returns>
    public long Release()
    {
        _waiter.Dispose();
        foreach (UdpSocket socket in _sockets) socket.Dispose();
        long unhandled = 0;
        while (_handover.TryTake(out FilledBatch? batch)) unhandled += batch!.Batch.Count;
        return unhandled;
    }

    private bool HasFree()
    {
        _free ??= _handover.TakeReturned();
        return _free is not null;
    }

    private void WaitForReturn(int timeoutMilliseconds)
    {
        _handover.NoteStarving();
        if (!HasFree()) _waiter.Sleep(timeoutMilliseconds, forSockets: false);
    }
}
