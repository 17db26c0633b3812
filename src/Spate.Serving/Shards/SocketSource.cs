using Spate.Serving.Designs;
using Spate.Waiting;

namespace Spate.Serving.Shards;

/// <summary>
/// Batches straight from sockets, the thread's own or shared ones. Tries each socket in turn. Where all are empty, the
/// thread parks, spins or sleeps, as the server's design and its option <see cref="UdpServerOptions.Wait"/> have it.
/// </summary>
internal sealed class SocketSource : BatchSource
{
    private const int ShortageMilliseconds = 1;

    private readonly UdpSocket[] _sockets;
    private readonly ReceivedBatch? _batch;
    private readonly Spinner? _spinner;
    private int _next;

    /// <param name="sockets">All of one backend.</param>
    /// <param name="batch">
    /// The one batch of the thread, disposed with the source; null where each call of <see cref="Receive"/> names one.
    /// </param>
    /// <param name="waiter">Made for these sockets.</param>
    /// <param name="spinner">Decides about spinning; null: the thread never spins.</param>
    /// <param name="active">See <see cref="BatchSource"/>.</param>
    public SocketSource(
        UdpSocket[] sockets, ReceivedBatch? batch, ThreadWaiter waiter, Spinner? spinner, ActiveThreads? active)
        : base(waiter, active)
    {
        _sockets = sockets;
        _batch = batch;
        _spinner = spinner;
    }

    /// <inheritdoc/>
    public override ReceivedBatch? Take(int timeoutMilliseconds) =>
        Receive(_batch!, timeoutMilliseconds) ? _batch : null;

    /// <inheritdoc/>
    public override void GiveBack(ReceivedBatch batch)
    {
        // The next receive into the batch takes its memory back.
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        base.Dispose();
        _batch?.Dispose();
    }

    /// <summary>Waits at most this long (-1 for ever, 0 not at all); false if nothing came or it was woken.</summary>
    public bool Receive(ReceivedBatch batch, int timeoutMilliseconds)
    {
        while (true)
        {
            if (TryReceive(batch)) return true;
            if (timeoutMilliseconds == 0) return false;
            if (!PrepareToWait())
            {
                // The sockets would end a sleep at once, so the thread sleeps without them.
                _spinner?.OnGivenUp();
                Waiter.Sleep(ShortageMilliseconds, forSockets: false);
                return TryReceive(batch);
            }

            if (!OnEmpty(timeoutMilliseconds)) return TryReceive(batch);
        }
    }

    /// <summary>
    /// All sockets are empty. True: look again at once. False: the thread has slept, or may not wait any longer.
    /// </summary>
    internal bool OnEmpty(int timeoutMilliseconds)
    {
        if (Active is not null && Active.TryBeginPark(Waiter, keepsOneAwake: true))
        {
            // Another thread was woken while this one was spinning: it must not go on counting as one that spins.
            _spinner?.OnGivenUp();
            Waiter.Sleep(timeoutMilliseconds, forSockets: false);
            Active.EndPark(Waiter);
            return false;
        }

        SpinStep step = _spinner?.OnEmpty() ?? SpinStep.Sleep;
        if (step == SpinStep.Sleep) Waiter.Sleep(timeoutMilliseconds, forSockets: true);
        return step == SpinStep.LookAgain;
    }

    /// <summary>A call brought so many datagrams.</summary>
    internal void OnArrival(int datagramCount)
    {
        _spinner?.OnArrival();
        Active?.OnBacklog(datagramCount);
    }

    /// <summary>Begins after the socket that had something last, so that none is passed over for long.</summary>
    private bool TryReceive(ReceivedBatch batch)
    {
        for (int i = 0; i < _sockets.Length; i++)
        {
            int index = _next;
            _next = index + 1 == _sockets.Length ? 0 : index + 1;
            if (_sockets[index].TryReceive(batch.Batch) != ReceiveStatus.Received) continue;
            batch.LocalIndex = index;
            OnArrival(batch.Batch.Count);
            return true;
        }

        return false;
    }

    // All sockets are asked, so that each forgets its shortage.
    private bool PrepareToWait()
    {
        bool areAllPrepared = true;
        foreach (UdpSocket socket in _sockets) areAllPrepared &= socket.PrepareToWait();
        return areAllPrepared;
    }
}
