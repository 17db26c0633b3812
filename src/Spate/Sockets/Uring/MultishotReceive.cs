using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Interop.Linux;
using Spate.Messages;

namespace Spate.Sockets.Uring;

/// <summary>
/// The multishot receive request of a ring. This class arms (starts) the request, takes the filled buffers into
/// batches, and arms the request again whenever the kernel has ended it. That may happen at any time
/// (io_uring_prep_recvmsg_multishot.3). The lock guards queues and buffers, and is never held during a wait.
/// </summary>
// SAFETY: the request's header is pinned and outlives the ring; ProvidedBuffers keeps the buffers alive.
internal sealed unsafe partial class MultishotReceive<TCalls> : IDisposable
    where TCalls : struct, IUringCalls
{
    private const int MaxPayloadBytes = 65_535;

    /// <summary>
    /// The user_data of the watch of the error queue. The user_data of receive requests counts up from 1.
    /// </summary>
    private const ulong WatchNumber = ulong.MaxValue;

    private readonly Lock _lock = new();
    private readonly SocketContext _context;
    private readonly Ring<TCalls> _ring;
    private readonly ProvidedBuffers _buffers;
    private readonly MessageLayout _layout;
    private readonly msghdr[] _header = GC.AllocateArray<msghdr>(1, pinned: true);
    private readonly int _cutFlags;
    private readonly bool _readsInfo;
    private ulong _generation;
    private bool _isArmed;
    private bool _isEnded;
    private bool _isWatching;
    private bool _cannotWatch;
    private bool _hasQueuedErrors;
    private int _errno;

    public MultishotReceive(SocketContext context, bool oneThread, bool coalesced, UringShape shape, TCalls calls)
    {
        _context = context;
        _readsInfo = context.Options.Metadata != UdpMetadata.None;
        bool readsControl = _readsInfo || coalesced;
        _layout = new MessageLayout(
            context.IsConnected ? 0 : Unsafe.SizeOf<UdpEndPoint>(),
            readsControl ? ControlMessages.MaxReceivedBytes : 0);
        _cutFlags = coalesced ? SysSocket.MSG_TRUNC | SysSocket.MSG_CTRUNC : SysSocket.MSG_TRUNC;
        _header[0].msg_namelen = (uint)_layout.NameBytes;
        _header[0].msg_controllen = (nuint)_layout.ControlBytes;
        _buffers = new ProvidedBuffers(_layout.PayloadOffsetBytes + PayloadBytes(context, coalesced), shape);
        try
        {
            _ring = new Ring<TCalls>(shape.CompletionCount, oneThread, calls);
            _ring.Keep(_buffers);
            _ring.KeepBuffers(_header);
            Register();
        }
        catch
        {
            _ring?.Dispose();
            _buffers.Dispose();
            throw;
        }
    }

    /// <summary>Readable when completions are pending or deferred work exists.</summary>
    public int Descriptor => _ring.Descriptor;

    public bool IsOneThread => _ring.IsOneThread;

    /// <summary>The size of a provided buffer, headers included.</summary>
    public int BufferBytes => _buffers.BufferBytes;

    /// <summary>
    /// Whether the receive request is running and, if a watch of the error queue is used, the watch too.
    /// </summary>
    public bool IsUnderWay =>
        Volatile.Read(ref _isArmed) && !_ring.HasUnsubmitted
        && (_isWatching || _cannotWatch || !_context.MayQueueErrors);

    /// <summary>
    /// Whether a receive has something to process: a completion, or an error, for example that the kernel did not take
    /// a request.
    /// </summary>
    public bool HasNews => _ring.HasCompletions || HasFailed;

    /// <summary>Whether an error is stored. The next receive that finds no datagram reports this error.</summary>
    public bool HasFailed => Volatile.Read(ref _errno) != 0;

    /// <summary>The number of times that the kernel had no buffer, for tests.</summary>
    public long StarvedCount { get; private set; }

    /// <summary>The number of times that completions did not fit into the completion queue, for tests.</summary>
    public long OverflownCount { get; private set; }

    /// <summary>Makes the kernel signal an event whenever the ring has something to complete.</summary>
    public void SignalTo(int eventDescriptor)
    {
        int result = _ring.Register(IoUring.IORING_REGISTER_EVENTFD, &eventDescriptor, 1);
        if (result < 0) throw new UringRefusedException("registering an event", -result);
    }

    /// <summary>
    /// Fills slots from pending completions. If the kernel has ended the request and any thread may use the ring, this
    /// method arms the request again before it returns, because other threads may be waiting on the ring, and the
    /// caller may never receive again.
    /// </summary>
    /// <param name="slots">The slots to fill. Their datagrams of an earlier receive are lost.</param>
    /// <param name="truncatedCount">The number of datagrams that were cut off.</param>
    /// <param name="errno">The error of the request if there was one and no slot was filled, otherwise 0.</param>
    /// <returns>The number of filled slots. The empty message that a shutdown causes fills no slot.</returns>
    public int Reap(ReceiveSlots slots, out int truncatedCount, out int errno)
    {
        int count = 0;
        bool hasTaken = false;
        truncatedCount = 0;
        lock (_lock)
        {
            Debug.Assert(!_isEnded, "The queues are not mapped any more.");
            FlushOverflow();
            while (count < slots.SlotCount && _ring.TryTake(out io_uring_cqe completion))
            {
                hasTaken = true;
                if (Accept(completion) && TryFill(slots, count, completion, ref truncatedCount)) count++;
            }

            if (hasTaken)
            {
                _buffers.Publish();
                _ring.PublishTaken();
            }

            errno = count == 0 ? _errno : 0;
            if (count == 0) _errno = 0;
            if (!_isArmed && !IsOneThread) ArmLocked(submits: true);
        }

        return count;
    }

    /// <summary>Starts the request, and the watch if one is needed, unless they are already running.</summary>
    /// <param name="submits">
    /// Whether to submit the requests to the kernel now; otherwise the next <see cref="Enter"/> submits them.
    /// </param>
    public void Arm(bool submits)
    {
        lock (_lock) ArmLocked(submits);
    }

    /// <summary>
    /// For a ring of one thread: submits requests, and lets the kernel run its deferred work. Only that thread may call
    /// this.
    /// </summary>
    public void Enter() => Note(_ring.Enter());

    /// <summary>
    /// Returns whether the watch has found entries in the error queue since the last call of this method.
    /// </summary>
    public bool TakeQueuedErrors()
    {
        lock (_lock)
        {
            bool had = _hasQueuedErrors;
            _hasQueuedErrors = false;
            return had;
        }
    }

    private static int PayloadBytes(SocketContext context, bool coalesced) =>
        context.Options.RingPayloadBytes is { } known && !coalesced ? known : MaxPayloadBytes;

    private void ArmLocked(bool submits)
    {
        if (_isEnded) return;
        if (!_isArmed) Push();
        if (_context.MayQueueErrors && !_isWatching && !_cannotWatch && !_context.IsClosed) PushWatch();
        if (submits && _ring.HasUnsubmitted) Note(_ring.Enter());
    }

    // Stores an error if the kernel did not take all requests. A request that was not taken stays in the submission
    // queue and completes nothing, so a receive must not wait for its completion. ENOMEM is stored if the call
    // succeeded or failed with EINTR or EAGAIN: it makes the receive pause and try again. EAGAIN means a shortage of
    // memory here (io_uring_enter.2). EBUSY is not an error: completions have overflowed, and a receive can take them.
    private void Note(int result)
    {
        if (result is -Errno.EBUSY || (result >= 0 && !_ring.HasUnsubmitted)) return;
        int errno = result is >= 0 or -Errno.EINTR or -Errno.EAGAIN ? Errno.ENOMEM : -result;
        Remember(errno);
    }

    // Stores an error for the next receive that finds no datagram. Only the newest error is stored. If it replaces a
    // network error, that error is still counted, as in the other backends, where each call returns its own error.
    private void Remember(int errno)
    {
        if (_errno != 0 && ErrnoPolicy.Of(_errno).Receive == ErrnoAction.PendingError)
        {
            _context.Counters.CountIcmpError();
            _context.NoteIcmpError(ErrnoPolicy.ToSocketError(_errno));
        }
        Volatile.Write(ref _errno, errno);
    }

    private void Register()
    {
        io_uring_buf_reg registration = new()
        {
            ring_addr = _buffers.Address,
            ring_entries = (uint)_buffers.EntryCount,
            bgid = ProvidedBuffers.GroupId,
        };
        int result = _ring.Register(IoUring.IORING_REGISTER_PBUF_RING, &registration, 1);
        if (result < 0) throw new UringRefusedException("registering buffers", -result);
    }

    private void Push()
    {
        if (_buffers.Count == 0)
        {
            _buffers.Grow();
            _buffers.Publish();
        }

        _ring.Push(new io_uring_sqe
        {
            opcode = IoUring.IORING_OP_RECVMSG,
            flags = IoUring.IOSQE_BUFFER_SELECT,
            ioprio = IoUring.IORING_RECV_MULTISHOT,
            fd = _context.Descriptor,
            addr = (ulong)Marshal.UnsafeAddrOfPinnedArrayElement(_header, 0),
            len = 1,
            user_data = ++_generation,
            buf_group = ProvidedBuffers.GroupId,
        });
        Volatile.Write(ref _isArmed, true);
    }

    // Starts the watch, a poll request that reports entries in the error queue. A receive request gets the socket's
    // errors, but not the other entries of the error queue: time stamps, and sent datagrams that were too long. These
    // entries would fill the receive buffer. The watch reports only once, so that the error queue can be emptied before
    // the next watch.
    private void PushWatch()
    {
        _ring.Push(new io_uring_sqe
        {
            opcode = IoUring.IORING_OP_POLL_ADD,
            fd = _context.Descriptor,
            poll32_events = (uint)Poll.POLLERR,
            user_data = WatchNumber,
        });
        _isWatching = true;
    }

    // Processes the result of the watch, which has ended. A cancelled watch is started again: the kernel cancels a
    // watch, for example, when the thread that started it has ended. After any other error no watch is started again.
    private void EndWatch(int result)
    {
        _isWatching = false;
        _cannotWatch |= result is < 0 and not -Errno.ECANCELED;
        _hasQueuedErrors |= result > 0;
    }

    /// <summary>
    /// Processes the status of a completion and notes whether the request has ended. Returns false if the completion
    /// contains no received message.
    /// </summary>
    private bool Accept(in io_uring_cqe completion)
    {
        // The completion of a cancel request, whose user_data is 0.
        if (completion.user_data == 0) return false;
        if (completion.user_data == WatchNumber)
        {
            EndWatch(completion.res);
            return false;
        }

        Debug.Assert(
            _lock.IsHeldByCurrentThread && completion.user_data <= _generation,
            "The kernel completes only requests that it was given.");
        if ((completion.flags & IoUring.IORING_CQE_F_MORE) == 0 && completion.user_data == _generation)
        {
            Volatile.Write(ref _isArmed, false);
        }
        if (completion.res >= 0) return true;

        // Not every end of a request is an error of the socket. ENOBUFS means that the kernel had no buffer. ECANCELED
        // means that the request was cancelled, by Cancel or because its thread has ended.
        if (HasBuffer(completion)) _buffers.ProvideAgain(IdOf(completion));
        if (completion.res == -Errno.ENOBUFS)
        {
            StarvedCount++;
            _buffers.Grow();
        }
        else if (completion.res != -Errno.ECANCELED)
        {
            Remember(-completion.res);
        }

        return false;
    }

    private bool TryFill(ReceiveSlots slots, int slotIndex, in io_uring_cqe completion, ref int truncatedCount)
    {
        if (!HasBuffer(completion)) return false;
        ushort id = IdOf(completion);
        Debug.Assert(completion.res <= _buffers.BufferBytes, "The kernel was given this many bytes.");
        ReadOnlySpan<byte> received = _buffers[id].Array.AsSpan(0, completion.res);
        if (!_layout.TryRead(received, out ReceivedMessage message) || IsWakeUp(message))
        {
            _buffers.ProvideAgain(id);
            return false;
        }

        ref ReceiveSlot slot = ref slots.All[slotIndex];
        if (_layout.NameBytes > 0) ReadPeer(message.Name, ref slot.Peer);
        else slot.Peer = _context.Remote;

        slot.OffsetBytes = _layout.PayloadOffsetBytes;
        slot.LengthBytes = Math.Min(message.PayloadBytes, slots.SlotBytes);
        slot.IsTruncated = (message.Flags & _cutFlags) != 0 || slot.LengthBytes < message.PayloadBytes;
        if (slot.IsTruncated) truncatedCount++;
        ReadControl(slots, slotIndex, message.Control, ref slot);
        _buffers.Exchange(id, slots, slotIndex);
        return true;
    }

    // Clears the peer first: an IPv4 address is shorter, so the tail of an earlier IPv6 address would remain.
    private void ReadPeer(ReadOnlySpan<byte> name, ref UdpEndPoint peer)
    {
        peer = default;
        Span<byte> bytes = MemoryMarshal.AsBytes(new Span<UdpEndPoint>(ref peer));
        name.CopyTo(bytes);
        if (_context.IsIPv6) UdpEndPoint.Normalize(ref peer);
    }

    private void ReadControl(
        ReceiveSlots slots, int slotIndex, ReadOnlySpan<byte> control, ref ReceiveSlot slot)
    {
        if (!_readsInfo)
        {
            slot.SegmentBytes = ReceivedControl.SegmentBytes(control);
            return;
        }

        ref DatagramInfo info = ref slots.InfoForWriting[slotIndex];
        info = DatagramInfo.None;
        slot.SegmentBytes = ReceivedControl.Read(control, ref info);
    }

    // Whether the message only reports a shutdown: the shutdown ends the request with an empty message that no peer
    // sent.
    private bool IsWakeUp(in ReceivedMessage message) =>
        _context.IsClosed && message.PayloadBytes == 0 && message.Name.IsEmpty;

    private static bool HasBuffer(in io_uring_cqe completion) =>
        (completion.flags & IoUring.IORING_CQE_F_BUFFER) != 0;

    private static ushort IdOf(in io_uring_cqe completion) =>
        (ushort)(completion.flags >> IoUring.IORING_CQE_BUFFER_SHIFT);

    // Lets the kernel deliver completions that did not fit into the completion queue. The kernel delivers them only
    // when the ring is entered (io_uring_enter.2). The ring is entered only when the completion queue is empty, so
    // completions keep their order.
    private void FlushOverflow()
    {
        if (!_ring.HasOverflown || _ring.HasCompletions) return;
        OverflownCount++;
        _ring.Enter();
    }
}
