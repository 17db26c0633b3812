using Spate.Serving.Threading;
using Spate.Waiting;

namespace Spate.Serving.Shards;

/// <summary>
/// Receives batches from sockets, which belong to the thread or are shared by several. It tries each socket in turn.
/// When all are empty the thread parks, spins or sleeps, depending on the server's design and on
/// <see cref="UdpServerOptions.Wait"/>.
/// </summary>
internal sealed class SocketSource : BatchSource
{
    private const int ShortageMilliseconds = 1;

    private readonly UdpSocket[] _sockets;
    private readonly ReceivedBatch? _batch;
    private readonly Spinner? _spinner;
    private int _next;

    /// <param name="sockets">The sockets, all of one backend.</param>
    /// <param name="batch">
    /// The batch of the thread, which the source disposes; null if each call of <see cref="Receive"/> passes a batch.
    /// </param>
    /// <param name="waiter">A waiter for these sockets.</param>
    /// <param name="spinner">Decides when the thread spins; null: never.</param>
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

    /// <summary>
    /// Receives into the batch. Waits at most this long for datagrams (-1: forever, 0: not at all). Returns false if
    /// nothing came or the thread was woken.
    /// </summary>
    public bool Receive(ReceivedBatch batch, int timeoutMilliseconds)
    {
        while (true)
        {
            if (TryReceive(batch)) return true;
            if (timeoutMilliseconds == 0) return false;
            if (!PrepareToWait())
            {
                // No event ends the shortage that a socket has met, so the thread pauses for a fixed time.
                _spinner?.OnGivenUp();
                Waiter.Sleep(ShortageMilliseconds, forSockets: false);
                return TryReceive(batch);
            }

            if (!OnEmpty(timeoutMilliseconds)) return TryReceive(batch);
        }
    }

    /// <summary>
    /// Parks, spins or sleeps while all sockets are empty. Returns true if the thread is to try the sockets again at
    /// once, false if it has slept or has other work to do.
    /// </summary>
    internal bool OnEmpty(int timeoutMilliseconds)
    {
        if (Active is not null && Active.TryBeginPark(Waiter, keepsOneAwake: true))
        {
            // A thread that parks does not spin any more, so it must not be counted as one that spins.
            _spinner?.OnGivenUp();
            Waiter.Sleep(timeoutMilliseconds, forSockets: false);
            Active.EndPark(Waiter);
            return false;
        }

        SpinStep step = _spinner?.OnEmpty() ?? SpinStep.Sleep;
        if (step == SpinStep.Sleep) Waiter.Sleep(timeoutMilliseconds, forSockets: true);
        return step == SpinStep.LookAgain;
    }

    /// <summary>Called after each receive that brought datagrams.</summary>
    internal void OnArrival(int datagramCount)
    {
        _spinner?.OnArrival();
        Active?.OnBacklog(datagramCount);
    }

    /// <summary>Begins with the socket after the one that was tried last, so that each socket gets its turn.</summary>
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

    // PrepareToWait is called for every socket, even after one returned false, because the call clears the shortage
    // that the socket has noted.
    private bool PrepareToWait()
    {
        bool areAllPrepared = true;
        foreach (UdpSocket socket in _sockets) areAllPrepared &= socket.PrepareToWait();
        return areAllPrepared;
    }
}
