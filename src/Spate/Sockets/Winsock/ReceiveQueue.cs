using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Interop.Windows;
using Spate.Messages;

namespace Spate.Sockets.Winsock;

/// <summary>
/// The receives that a socket has posted in advance, and the completion port that reports their ends. Each receive has
/// a buffer, which changes places with the buffer of a batch's slot when the receive has ended; then the receive is
/// posted again. The lock guards everything, and is never held during a wait.
/// </summary>
/// <remarks>
/// Receives end in the order in which they were posted, so datagrams are taken in this order. The order of packets may
/// differ: several threads may take packets from the port, and a receive that ends as it is posted has no packet
/// (FILE_SKIP_COMPLETION_PORT_ON_SUCCESS).
/// <para>
/// The end of a receive also signals an event, for those who wait for several sockets. A receive that is posted resets
/// its event, and so may hide that another one has ended. Hence the event is signalled again at the end of each call
/// that leaves something to take, once somebody has waited for it.
/// </para>
/// </remarks>
// SAFETY: the messages are native memory, and buffers are arrays on the pinned heap that _buffers keeps alive. Both are
// the system's until the receive has ended. ReleaseHandle frees them only when all receives have ended, and keeps the
// socket's handle from being closed and reused before. It runs when the receiver is closed or, if nobody closes the
// socket, when nobody refers to this object any more: it is finalized, and so keeps its buffers until then.
internal sealed unsafe partial class ReceiveQueue<TCalls> : SafeHandle
    where TCalls : struct, IWinsockCalls
{
    private const int MaxPayloadBytes = 65_535;
    private const int MaxIPv4PayloadBytes = 65_507;

    // Some packets more than receives, for those that wake.
    private const int SpareRoomCount = 8;

    private readonly Lock _lock = new();
    private readonly SocketContext _context;
    private readonly TCalls _calls;
    private readonly SafeSocketHandle _socketHandle;
    private readonly nint _socket;
    private readonly nint _receive;
    private readonly bool _coalesces;
    private readonly bool _readsInfo;
    private readonly bool _hasPacketAlways;
    private readonly SlotBuffer?[] _buffers;
    private readonly Ended[] _ended;
    private readonly SlotBufferPool _pool;

    // The indices of the receives that are posted and not taken, in the order in which they were posted.
    private readonly int[] _order;
    private readonly Stack<int> _idle;
    private NativeReceive* _messages;
    private nint _event;
    private nint _spill;
    private int _first;
    private int _orderCount;
    private int _endedCount;
    private int _waitingCount;
    private int _error;
    private bool _isWakePosted;
    private bool _announces;
    private bool _isOver;

    /// <param name="context">The context of the socket.</param>
    /// <param name="coalesces">Whether the system may hand over coalesced buffers.</param>
    /// <param name="count">The number of receives to post.</param>
    /// <param name="calls">The real system calls, or calls that fail on purpose.</param>
    /// <exception cref="SocketException">The system refused.</exception>
    public ReceiveQueue(SocketContext context, bool coalesces, int count, TCalls calls)
        : base(0, ownsHandle: true)
    {
        _context = context;
        _calls = calls;
        _coalesces = coalesces;
        _readsInfo = context.Options.Metadata != UdpMetadata.None;
        BufferBytes = coalesces ? MaxPayloadBytes : context.Options.RingPayloadBytes ?? MaxPayloadBytes;
        _buffers = new SlotBuffer?[count];
        _ended = new Ended[count];
        _order = new int[count];
        _idle = new Stack<int>(count);
        _pool = new SlotBufferPool(BufferBytes, maxSpareCount: count);
        _socketHandle = context.Socket.SafeHandle;
        _socket = context.Socket.Handle;
        _receive = WinsockCalls.FindReceive(_socket);
        _event = SynchApi.CreateEventW(null, manualReset: 0, initialState: 0, null);
        if (_event == 0) throw new SocketException(Marshal.GetLastPInvokeError());
        nint port = IoApiSet.CreateIoCompletionPort(_socket, 0, 0, ushort.MaxValue);
        if (port == 0)
        {
            int error = Marshal.GetLastPInvokeError();
            HandleApi.CloseHandle(_event);
            throw new SocketException(error);
        }

        SetHandle(port);
        _hasPacketAlways = WinBase.SetFileCompletionNotificationModes(
            _socket, WinBase.FILE_SKIP_COMPLETION_PORT_ON_SUCCESS) == 0;
    }

    /// <inheritdoc/>
    public override bool IsInvalid => handle == 0;

    /// <summary>The event that is signalled when something can be taken.</summary>
    public nint EventHandle => _event;

    /// <summary>The size of a buffer.</summary>
    public int BufferBytes { get; }

    /// <summary>The number of datagrams that were taken although an earlier receive had not ended, for tests.</summary>
    public long OvertakenCount { get; private set; }

    /// <summary>Fills slots from receives that have ended, and posts these receives again.</summary>
    /// <param name="slots">The slots to fill. Their datagrams of an earlier receive are lost.</param>
    /// <param name="faults">Counts data that cannot be handed over.</param>
    /// <param name="truncatedCount">The number of datagrams that were cut off.</param>
    /// <param name="error">An error of a receive if no slot was filled, otherwise 0.</param>
    /// <returns>The number of filled slots.</returns>
    public int Reap(ReceiveSlots slots, ReceiveFaults faults, out int truncatedCount, out int error)
    {
        int count = 0;
        truncatedCount = 0;
        lock (_lock)
        {
            PostIdle();
            if (_endedCount < slots.SlotCount) TakePackets();
            while (count < slots.SlotCount && TryNext(out int index))
            {
                if (TryFill(slots, count, index, faults, ref truncatedCount)) count++;
                TryPost(index);
            }

            error = count == 0 ? _error : 0;
            if (count == 0) _error = 0;
            AnnounceRest();
        }

        return count;
    }

    /// <summary>Looks whether a receive has ended, and posts those that are not posted.</summary>
    public bool Look()
    {
        lock (_lock)
        {
            PostIdle();
            TakePackets();
            AnnounceRest();
            return HasNews;
        }
    }

    /// <summary>
    /// Posts receives, and signals the event if something can be taken already. Called before a wait for the event.
    /// Returns false if the event would not report the next datagram.
    /// </summary>
    public bool Announce()
    {
        lock (_lock)
        {
            PostIdle();
            TakePackets();
            _announces = true;
            AnnounceRest();
            return _error == 0 && _orderCount > 0;
        }
    }

    /// <summary>
    /// Waits until something can be taken, the timeout ends or <see cref="Wake"/> is called. May return early.
    /// </summary>
    [SkipLocalsInit]
    public void Wait(int timeoutMilliseconds)
    {
        lock (_lock)
        {
            if (HasNews || _isOver || _context.IsClosed) return;
            _waitingCount++;
        }

        // SAFETY: the packets are on this thread's stack.
        int roomCount = _order.Length + SpareRoomCount;
        OVERLAPPED_ENTRY* packets = stackalloc OVERLAPPED_ENTRY[roomCount];
        int count = _calls.Dequeue(handle, packets, roomCount, timeoutMilliseconds);
        lock (_lock)
        {
            _waitingCount--;
            Record(packets, count);

            // This call may have taken the packets of Wake for several.
            if (_context.IsClosed && _waitingCount > 0) _calls.Post(handle);
        }
    }

    /// <summary>Wakes all calls that wait.</summary>
    public void Wake()
    {
        lock (_lock)
        {
            for (int i = 0; i < _waitingCount; i++) _calls.Post(handle);
        }
    }

    private bool HasNews => _error != 0 || CanTake;

    // Whether TryNext finds something, or must first get the packet of a receive that has ended.
    private bool CanTake => _endedCount > 0 && (IsEnded(_order[_first]) || !HasEnded(_order[_first]));

    private bool IsEnded(int index) => _ended[index].IsEnded;

    private bool HasEnded(int index) => NativeReceive.HasEnded(_messages + index);

    [SkipLocalsInit]
    private void TakePackets()
    {
        int roomCount = _order.Length + SpareRoomCount;
        OVERLAPPED_ENTRY* packets = stackalloc OVERLAPPED_ENTRY[roomCount];
        Record(packets, _calls.Dequeue(handle, packets, roomCount, timeoutMilliseconds: 0));
    }

    private void Record(OVERLAPPED_ENTRY* packets, int count)
    {
        Debug.Assert(_lock.IsHeldByCurrentThread);
        for (int i = 0; i < count; i++)
        {
            OVERLAPPED* overlapped = packets[i].lpOverlapped;
            if (overlapped == null)
            {
                _isWakePosted = false;
                continue;
            }

            int index = (int)((NativeReceive*)overlapped - _messages);
            int error = packets[i].Internal == 0 ? 0 : _calls.ErrorOf(_socket, overlapped);
            End(index, (int)packets[i].dwNumberOfBytesTransferred, error);
        }
    }

    private void End(int index, int lengthBytes, int error)
    {
        Debug.Assert(!_ended[index].IsEnded, "A receive ends once.");
        _ended[index] = new Ended(IsEnded: true, lengthBytes, error);
        _endedCount++;
    }

    /// <summary>
    /// Finds the next receive to take. A receive that has not ended is passed over, but not one whose packet is still
    /// under way, to the port or to another thread.
    /// </summary>
    private bool TryNext(out int index)
    {
        index = 0;
        if (_endedCount == 0) return false;
        if (!IsEnded(_order[_first])) TakePackets();
        for (int i = 0; i < _orderCount; i++)
        {
            index = _order[(_first + i) % _order.Length];
            if (IsEnded(index))
            {
                RemoveFromOrder(i);
                return true;
            }

            if (HasEnded(index)) return false;
        }

        return false;
    }

    private void RemoveFromOrder(int place)
    {
        if (place > 0) OvertakenCount++;
        for (int i = place; i > 0; i--)
            _order[(_first + i) % _order.Length] = _order[(_first + i - 1) % _order.Length];
        _first = (_first + 1) % _order.Length;
        _orderCount--;
        _endedCount--;
    }

    // Wakes those who wait, if something is left to take: a call that waits in the port, and those who wait for the
    // event. The event may have been reset by a receive that was posted after the end of another.
    private void AnnounceRest()
    {
        if (_waitingCount > 0 && HasNews && !_isWakePosted)
        {
            _isWakePosted = true;
            _calls.Post(handle);
        }

        if (_announces && (_error != 0 || _endedCount > 0 || HasAnyEnded())) SynchApi.SetEvent(_event);
    }

    private bool HasAnyEnded()
    {
        for (int i = 0; i < _orderCount; i++)
        {
            if (HasEnded(_order[(_first + i) % _order.Length])) return true;
        }

        return false;
    }

    private readonly record struct Ended(bool IsEnded, int LengthBytes, int Error);
}
