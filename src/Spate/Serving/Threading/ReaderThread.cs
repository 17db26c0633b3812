using System.Diagnostics;
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
    private readonly ServerSockets _all;
    private readonly UdpSocket[] _sockets;
    private readonly SocketSource _source;
    private readonly ThreadWaiter _waiter;
    private ReceivedBatch? _free;
    private int _batchCount;

    /// <summary>Opens the sockets from which the reader receives and through which the workers send.</summary>
    public ReaderThread(ResolvedServerOptions plan, ServerSockets sockets, ActiveThreads workers)
        : base(plan, "Spate receiver", ResolvedServerOptions.ReaderIndex)
    {
        _all = sockets;
        _sockets = sockets.Open(0);
        _waiter = UdpSocket.CreateWaiter(_sockets);
        Queue = new BatchQueue(workers, _waiter);
        Source = _source = MakeSource(_sockets, _waiter, Spinner.Create(plan));
    }

    /// <summary>The queue from which the workers take batches.</summary>
    public BatchQueue Queue { get; }

    /// <inheritdoc/>
    protected override int PassMilliseconds => -1;

    /// <summary>
    /// Makes the batches that go back and forth between the reader and the workers, or more of them after threads were
    /// added, unless the options set their number. They enter the queue like used batches.
    /// </summary>
    public void FitBatches()
    {
        for (; _batchCount < Plan.BatchCount; _batchCount++)
            Queue.GiveBack(new ReceivedBatch(_sockets[0].CreateReceiveBatch(Plan.Options.ReceiveBatch)));
    }

    /// <summary>
    /// Disposes the source, and counts the datagrams that no worker took. Called after the workers have ended.
    /// </summary>
    public void Release()
    {
        Debug.Assert(!HasStarted || Ended.IsCompleted, "The reader would go on receiving through the source.");
        _source.Dispose();
        while (Queue.TryTake(out ReceivedBatch? batch)) _all.CountUnhandled(batch!.Batch.Count);
    }

    /// <inheritdoc/>
    protected override void Prepare() => FitBatches();

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
            Queue.WakeForLeftovers();
            if (timeoutMilliseconds == 0 || !_source.Receive(batch, timeoutMilliseconds)) return false;
        }

        _free = batch.Next;
        Counters.CountCall(batch.Batch.Count, batch.Batch.ByteCount);
        Queue.Push(batch);
        return true;
    }

    /// <inheritdoc/>
    protected override IEnumerable<Action> LastSteps => [() => _all.EndReceiving(_sockets)];

    private static SocketSource MakeSource(UdpSocket[] sockets, ThreadWaiter waiter, Spinner? spinner) =>
        new(sockets, batch: null, waiter, spinner, active: null);

    private bool HasFree()
    {
        _free ??= Queue.TakeReturned();
        return _free is not null;
    }

    private void WaitForReturn(int timeoutMilliseconds)
    {
        Queue.NoteStarving();
        if (!HasFree()) _waiter.Sleep(timeoutMilliseconds, forSockets: false);
    }
}
