using System.Net.Sockets;
using Spate.Interop.Windows;

namespace Spate.Sockets.Rio;

/// <summary>
/// The completion queue of a socket, which takes no calls of two threads at once: one lock. A look that takes nothing
/// (<see cref="HasNews"/>) must take a completion out of the queue, and keeps it here for the next receive.
/// </summary>
// SAFETY: results are written during the call only, into the caller's memory or the field that is kept.
internal sealed unsafe class RioCompletionQueue<TCalls>
    where TCalls : struct, IRioCalls
{
    private readonly Lock _lock = new();
    private readonly RioSignal _signal;
    private readonly bool _notifies;
    private TCalls _calls;
    private RIORESULT _kept;
    private bool _hasKept;
    private bool _isCorrupt;

    /// <param name="entryCount">The number of requests that may be outstanding at once.</param>
    /// <param name="signal">Announces completions of the queue.</param>
    /// <param name="calls">The real functions, or functions that fail on purpose.</param>
    /// <exception cref="SocketException">The system refused.</exception>
    public RioCompletionQueue(int entryCount, RioSignal signal, TCalls calls)
    {
        _signal = signal;
        _calls = calls;
        _notifies = signal.TryDescribe(out RIO_NOTIFICATION_COMPLETION notification);
        Queue = _calls.CreateCompletionQueue((uint)entryCount, _notifies ? &notification : null, out int error);
        if (Queue == 0)
        {
            throw new SocketException(
                error, $"The system refused a completion queue of {entryCount} entries ({(SocketError)error}).");
        }
    }

    public nint Queue { get; }

    /// <summary>Whether the system has reported that the queue cannot be used any more.</summary>
    public bool IsCorrupt => Volatile.Read(ref _isCorrupt);

    /// <summary>Takes completions, the oldest first. If it takes fewer than asked for, the queue is empty.</summary>
    /// <exception cref="SocketException">The queue is corrupt.</exception>
    public int Take(Span<RIORESULT> results)
    {
        lock (_lock)
        {
            int keptCount = 0;
            if (_hasKept)
            {
                results[0] = _kept;
                _hasKept = false;
                keptCount = 1;
            }

            return keptCount + Dequeue(results[keptCount..]);
        }
    }

    /// <summary>Whether a completion is there.</summary>
    /// <exception cref="SocketException">The queue is corrupt.</exception>
    public bool HasNews()
    {
        lock (_lock)
        {
            if (!_hasKept) _hasKept = Dequeue(new Span<RIORESULT>(ref _kept)) > 0;
            return _hasKept;
        }
    }

    /// <summary>
    /// Has the signal set when a completion is there: now or later. False if nothing will announce it.
    /// </summary>
    public bool Announce()
    {
        lock (_lock)
        {
            if (_hasKept || _isCorrupt)
            {
                _signal.Set();
                return true;
            }

            // One notification that has not come yet is as good as a new one (WSAEALREADY).
            return _notifies && _calls.Notify(Queue) is 0 or (int)SocketError.AlreadyInProgress;
        }
    }

    public void Close()
    {
        lock (_lock) _calls.CloseCompletionQueue(Queue);
    }

    private int Dequeue(Span<RIORESULT> results)
    {
        if (results.IsEmpty) return 0;
        uint count = MSWSock.RIO_CORRUPT_CQ;
        if (!_isCorrupt)
        {
            fixed (RIORESULT* first = results) count = _calls.Dequeue(Queue, first, (uint)results.Length);
        }

        if (count <= (uint)results.Length) return (int)count;
        Volatile.Write(ref _isCorrupt, true);
        throw new SocketException(
            (int)SocketError.NoRecovery,
            "Windows reports that the completion queue of this socket is corrupt (RIO_CORRUPT_CQ), so it receives "
            + "nothing any more: close the socket and open another one.");
    }
}
