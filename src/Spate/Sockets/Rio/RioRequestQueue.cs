using System.Net.Sockets;
using Spate.Interop.Windows;

namespace Spate.Sockets.Rio;

/// <summary>
/// The request queue of a socket, which takes no calls of two threads at once: one lock. All slots that are not
/// completed are posted. Posts are deferred and then committed by one call. A slot whose post fails stays spare until
/// the next attempt.
/// </summary>
// SAFETY: slices are read by the system during the call only; their memory belongs to the memory.
internal sealed unsafe class RioRequestQueue<TCalls>
    where TCalls : struct, IRioCalls
{
    private readonly Lock _lock = new();
    private readonly RioMemory _memory;
    private readonly int[] _spare;
    private readonly bool _hasPeers;
    private readonly bool _hasControls;
    private TCalls _calls;
    private nint _queue;
    private int _spareCount;
    private bool _isDeferred;
    private int _postedCount;

    /// <param name="memory">The slots. They are all spare at first.</param>
    /// <param name="hasPeers">Whether the system is to write the peer of a datagram: not on a connected socket.</param>
    /// <param name="hasControls">Whether the system is to write metadata of a datagram.</param>
    /// <param name="calls">The real functions, or functions that fail on purpose.</param>
    public RioRequestQueue(RioMemory memory, bool hasPeers, bool hasControls, TCalls calls)
    {
        _memory = memory;
        _hasPeers = hasPeers;
        _hasControls = hasControls;
        _calls = calls;
        _spare = [.. Enumerable.Range(0, memory.SlotCount).Reverse()];
        _spareCount = memory.SlotCount;
    }

    /// <summary>The number of slots that belong to the system.</summary>
    public int PostedCount => Volatile.Read(ref _postedCount);

    /// <summary>Whether posts have failed, so that slots wait for the next attempt.</summary>
    public bool NeedsPost => Volatile.Read(ref _spareCount) > 0 || Volatile.Read(ref _isDeferred);

    /// <summary>Makes the queue. Every request is charged to the completion queue, which has as many entries.</summary>
    /// <exception cref="SocketException">The system has not enough memory.</exception>
    /// <exception cref="PlatformNotSupportedException">The socket is not one for Registered I/O.</exception>
    public void Open(nint socket, nint completionQueue)
    {
        _queue = _calls.CreateRequestQueue(socket, (uint)_memory.SlotCount, completionQueue, out int error);
        if (_queue != 0) return;
        if (error == (int)SocketError.NoBufferSpaceAvailable)
        {
            throw new SocketException(error, "The system lacks memory for a queue of Registered I/O.");
        }

        throw new PlatformNotSupportedException(
            $"The socket takes no Registered I/O ({(SocketError)error}): a socket for the Rio backend must have been "
            + "made with WSA_FLAG_REGISTERED_IO, as UdpSocket.Bind and UdpSocket.Connect do.");
    }

    /// <summary>
    /// Gives slots back whose completions were taken, and posts all spare slots. Returns 0, or the error of a post that
    /// failed.
    /// </summary>
    public int Post(ReadOnlySpan<int> slotIndexes)
    {
        lock (_lock)
        {
            slotIndexes.CopyTo(_spare.AsSpan(_spareCount));
            _spareCount += slotIndexes.Length;
            int error = Defer();
            if (!_isDeferred) return error;
            int commitError = _calls.Commit(_queue);
            if (commitError != 0) return commitError;
            _isDeferred = false;
            return error;
        }
    }

    /// <summary>Notes that completions were taken, each for a slot that now belongs to the caller.</summary>
    public void OnTaken(int count) => Interlocked.Add(ref _postedCount, -count);

    private int Defer()
    {
        while (_spareCount > 0)
        {
            int slotIndex = _spare[_spareCount - 1];

            // Counted before the call: another thread may take the completion before the call has returned.
            Interlocked.Increment(ref _postedCount);
            int error = Receive(slotIndex);
            if (error != 0)
            {
                Interlocked.Decrement(ref _postedCount);
                return error;
            }

            _spareCount--;
            _isDeferred = true;
        }

        return 0;
    }

    private int Receive(int slotIndex)
    {
        if (_hasControls) _memory.ClearControl(slotIndex);
        RIO_BUF payload = _memory.PayloadSlice(slotIndex);
        RIO_BUF peer = _memory.PeerSlice(slotIndex);
        RIO_BUF control = _memory.ControlSlice(slotIndex);
        RIO_BUF receivedFlags = _memory.FlagsSlice(slotIndex);
        return _calls.Receive(
            _queue, &payload, _hasPeers ? &peer : null, _hasControls ? &control : null,
            _hasControls ? &receivedFlags : null, MSWSock.RIO_MSG_DEFER, (ulong)slotIndex);
    }
}
