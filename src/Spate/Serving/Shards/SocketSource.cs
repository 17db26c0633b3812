using System.Diagnostics;
using Spate.Serving.Threading;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate.Serving.Shards;

/// <summary>
/// Receives batches from sockets, which belong to the thread or are shared by several threads. It tries each socket in
/// turn. If all are empty, the thread parks, spins or sleeps, depending on the server's design and on
/// <see cref="UdpServerOptions.Wait"/>.
/// </summary>
internal sealed class SocketSource : BatchSource
{
    private const int ShortageMilliseconds = 1;

    private readonly UdpSocket[] _sockets;
    private readonly ReceivedBatch? _batch;
    private readonly Spinner? _spinner;
    private int _next;
    private bool _hasFailed;

    /// <param name="sockets">The sockets, all of one backend.</param>
    /// <param name="batch">
    /// The batch into which <see cref="Take"/> receives; the source disposes it. Null if the thread calls only
    /// <see cref="Receive"/>, with batches of its own.
    /// </param>
    /// <param name="waiter">A waiter for these sockets.</param>
    /// <param name="spinner">Decides when the thread spins; null if it never spins.</param>
    /// <param name="active">
    /// The set of threads that this thread joins; null in designs whose threads do not park.
    /// </param>
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
        // There is nothing to do: the next receive into the batch takes its memory back.
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        base.Dispose();
        _batch?.Dispose();
    }

    /// <summary>
    /// Receives into the batch, and waits at most this long for datagrams (-1: forever, 0: not at all). Returns false
    /// if no datagram came or the thread was woken.
    /// </summary>
    public bool Receive(ReceivedBatch batch, int timeoutMilliseconds)
    {
        while (true)
        {
            if (TryReceive(batch)) return true;
            if (timeoutMilliseconds == 0) return false;
            if (!PrepareToWait())
            {
                // A socket has failed, for example with ENOBUFS, and no event announces the end of that failure. So the
                // thread pauses for a fixed time and then tries again.
                _spinner?.OnGivenUp();
                Waiter.Sleep(ShortageMilliseconds, forSockets: false);
                return TryReceive(batch);
            }

            if (!OnEmpty(timeoutMilliseconds)) return TryReceive(batch);
        }
    }

    /// <summary>
    /// Called when all sockets are empty: the thread parks, spins or sleeps. Returns true if it should try the sockets
    /// again at once, false if it has slept or has other work to do.
    /// </summary>
    internal bool OnEmpty(int timeoutMilliseconds)
    {
        if (Active is not null && Active.TryBeginPark(Waiter, keepsOneAwake: true))
        {
            // A parked thread does not spin, so it must no longer count as one of the spinning threads.
            _spinner?.OnGivenUp();
            Waiter.Sleep(timeoutMilliseconds, forSockets: false);
            Active.EndPark(Waiter);
            return false;
        }

        SpinStep step = _spinner?.OnEmpty() ?? SpinStep.Sleep;
        if (step == SpinStep.Sleep) Waiter.Sleep(timeoutMilliseconds, forSockets: true);
        return step == SpinStep.LookAgain;
    }

    /// <summary>Called after each receive that returned datagrams.</summary>
    internal void OnArrival(int datagramCount)
    {
        Debug.Assert(datagramCount > 0, "A receive without datagrams would count as an arrival and keep a spin going.");
        _spinner?.OnArrival();
        Active?.OnBacklog(datagramCount);
    }

    /// <summary>
    /// Receives from the first socket that has datagrams. Begins with the socket after the one that was tried last, so
    /// that each socket gets its turn.
    /// </summary>
    private bool TryReceive(ReceivedBatch batch)
    {
        for (int i = 0; i < _sockets.Length; i++)
        {
            int index = _next;
            _next = index + 1 == _sockets.Length ? 0 : index + 1;
            ReceiveStatus status = _sockets[index].TryReceiveOrRetry(batch.Batch);
            _hasFailed |= status == Receiver.RetryLater;
            if (status != ReceiveStatus.Received) continue;
            batch.LocalEndPointIndex = index;
            OnArrival(batch.Batch.Count);
            return true;
        }

        return false;
    }

    // Returns whether an event will announce the next datagram of every socket. If not, or if a receive has failed
    // since the last call, the thread must not wait for events.
    private bool PrepareToWait()
    {
        bool areAllPrepared = !_hasFailed;
        _hasFailed = false;

        // A thread that never sleeps needs no event, and its sockets may have none (UdpServerWait.Spinning).
        if (_spinner is EndlessSpinner) return areAllPrepared;
        foreach (UdpSocket socket in _sockets) areAllPrepared &= socket.PrepareToWait();
        return areAllPrepared;
    }
}
