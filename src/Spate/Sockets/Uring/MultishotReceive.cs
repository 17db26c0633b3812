using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Interop.Linux;
using Spate.Messages;

namespace Spate.Sockets.Uring;

/// <summary>
/// One multishot receive on a ring: arms it, reads completions into batches, and arms again whenever the kernel ended
/// it, which it may at any time (io_uring_prep_recvmsg_multishot.3). The lock guards queues and buffers; it is never
/// held while something waits.
/// </summary>
// SAFETY: the request's header is pinned and outlives the ring; buffers are kept by ProvidedBuffers.
internal sealed unsafe class MultishotReceive<TCalls> : IDisposable
    where TCalls : struct, IUringCalls
{
    private const int MaxPayloadBytes = 65_535;

    /// <summary>What the watch's completion carries; those of receives count up from 1.</summary>
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

    /// <summary>Readable while completions are there, or could be if the ring's thread entered it.</summary>
    public int Descriptor => _ring.Descriptor;

    public bool IsOneThread => _ring.IsOneThread;

    /// <summary>What its buffers hold, headers included.</summary>
    public int BufferBytes => _buffers.BufferBytes;

    /// <summary>Whether the receive, and the watch of the error queue where there is one, are under way.</summary>
    public bool IsUnderWay =>
        Volatile.Read(ref _isArmed) && !_ring.HasUnsubmitted
        && (_isWatching || _cannotWatch || !_context.MayQueueErrors);

    /// <summary>Whether a receive has something to look at: a completion, or that the kernel took no request.</summary>
    public bool HasNews => _ring.HasCompletions || HasFailed;

    /// <summary>Whether an error waits to be told by a receive.</summary>
    public bool HasFailed => Volatile.Read(ref _errno) != 0;

    /// <summary>Times the kernel had no buffer, and times completions did not fit: for tests.</summary>
    public long StarvedCount { get; private set; }

    public long OverflownCount { get; private set; }

    /// <summary>Has the kernel signal an event whenever there is something to complete.</summary>
    public void SignalTo(int eventDescriptor)
    {
        int result = _ring.Register(IoUring.IORING_REGISTER_EVENTFD, &eventDescriptor, 1);
        if (result < 0) throw new UringRefusedException("registering an event", -result);
    }

    /// <summary>
    /// Fills slots from what is complete. Where the kernel has ended the request, a ring of any threads is armed again
    /// before anything is returned: others may wait for it, and the caller may never come back.
    /// </summary>
    /// <param name="slots">Where to; nothing of an earlier receive is in it.</param>
    /// <param name="truncatedCount">How many of the datagrams were cut off.</param>
    /// <param name="errno">Where nothing was there: an error that ended the request, or 0.</param>
    /// <returns>How many slots were filled; a wake-up by shutdown fills none.</returns>
    public int Reap(ReceiveSlots slots, out int truncatedCount, out int errno)
    {
        int count = 0;
        bool hasTaken = false;
        truncatedCount = 0;
        lock (_lock)
        {
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

    /// <summary>Has the request under way.</summary>
    /// <param name="submits">Whether to hand it to the kernel now; otherwise the next <see cref="Enter"/> does.</param>
    public void Arm(bool submits)
    {
        lock (_lock) ArmLocked(submits);
    }

    /// <summary>Lets the kernel complete what it can, in a ring of one thread; that thread only.</summary>
    public void Enter() => Note(_ring.Enter());

    /// <summary>Asks the kernel to end the request; its last completion may come later.</summary>
    public void Cancel()
    {
        lock (_lock)
        {
            if ((!_isArmed && !_isWatching) || _isEnded) return;
            if (_isArmed) PushCancel(_generation);
            if (_isWatching) PushCancel(WatchNumber);
            _ring.Enter();
        }
    }

    /// <summary>Drops completions; true once the request has ended and no buffer is the kernel's to fill.</summary>
    public bool DropCompletions()
    {
        lock (_lock)
        {
            if (_isEnded) return true;
            FlushOverflow();
            while (_ring.TryTake(out io_uring_cqe completion))
            {
                if (Accept(completion) && HasBuffer(completion)) _buffers.ProvideAgain(IdOf(completion));
            }

            _buffers.Publish();
            _ring.PublishTaken();
            return !_isArmed && !_isWatching;
        }
    }

    /// <summary>Whether the queue of errors holds something; the answer is given once.</summary>
    public bool TakeQueuedErrors()
    {
        lock (_lock)
        {
            bool had = _hasQueuedErrors;
            _hasQueuedErrors = false;
            return had;
        }
    }

    /// <summary>Closes the ring; batches keep the memory of what they hold.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_isEnded) return;
            _isEnded = true;
            _ring.Dispose();
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

    // A request that the kernel did not take stays in the queue. Nothing would complete then, so a receive must not
    // sleep: it pauses as for a shortage, which is what EAGAIN says here (io_uring_enter.2), and tries again. EBUSY
    // means that completions have overflown, and those are there to be taken.
    private void Note(int result)
    {
        if (result is -Errno.EBUSY || (result >= 0 && !_ring.HasUnsubmitted)) return;
        int errno = result is >= 0 or -Errno.EINTR or -Errno.EAGAIN ? Errno.ENOMEM : -result;
        Remember(errno);
    }

    // Only the newest error is told, by the first receive that finds no datagram before it. A network error that it
    // replaces is still counted, as where each call is told of its own.
    private void Remember(int errno)
    {
        if (_errno != 0 && ErrnoPolicy.Decide(_errno, SocketOperation.Receive) == ErrnoAction.PendingError)
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

    private void PushCancel(ulong number) =>
        _ring.Push(new io_uring_sqe { opcode = IoUring.IORING_OP_ASYNC_CANCEL, addr = number });

    // A receive learns of the socket's errors, but not of the other entries of the error queue, which fill its buffer:
    // time stamps, and datagrams of its own that were too long. The watch tells once, so that the queue is emptied
    // before the next watch.
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

    // A watch that is cancelled is made again, as when the thread that began it has ended.
    private void EndWatch(int result)
    {
        _isWatching = false;
        _cannotWatch |= result is < 0 and not -Errno.ECANCELED;
        _hasQueuedErrors |= result > 0;
    }

    /// <summary>Notes what a completion says of its request; false if it brings no message.</summary>
    private bool Accept(in io_uring_cqe completion)
    {
        // That of a cancellation, which carries no number.
        if (completion.user_data == 0) return false;
        if (completion.user_data == WatchNumber)
        {
            EndWatch(completion.res);
            return false;
        }

        if ((completion.flags & IoUring.IORING_CQE_F_MORE) == 0 && completion.user_data == _generation)
        {
            Volatile.Write(ref _isArmed, false);
        }
        if (completion.res >= 0) return true;

        // What ends a request without being a fault of the socket: no buffer, its thread's end, our own cancellation.
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
        SlotBuffer buffer = _buffers[id];
        ReadOnlySpan<byte> received = buffer.Array.AsSpan(0, completion.res);
        if (!_layout.TryRead(received, out ReceivedMessage message) || IsWakeUp(message))
        {
            _buffers.ProvideAgain(id);
            return false;
        }

        ref ReceiveSlot slot = ref slots.All[slotIndex];
        if (_layout.NameBytes > 0) ReadPeer(message.Name, ref slot.Peer);
        else slot.Peer = _context.Remote;

        slot.LengthBytes = Math.Min(message.PayloadBytes, slots.SlotBytes);
        slot.IsTruncated = (message.Flags & _cutFlags) != 0 || slot.LengthBytes < message.PayloadBytes;
        if (slot.IsTruncated) truncatedCount++;
        ReadControl(slots, slotIndex, message.Control, ref slot);
        _buffers.Provide(
            id, slots.Exchange(slotIndex, buffer, _layout.PayloadOffsetBytes, _buffers.BufferBytes));
        return true;
    }

    // A shorter IPv4 address must not keep the tail of what was there before.
    private void ReadPeer(ReadOnlySpan<byte> name, ref UdpEndPoint peer)
    {
        peer = default;
        Span<byte> bytes = MemoryMarshal.AsBytes(new Span<UdpEndPoint>(ref peer));
        if (name.Length == sizeof(sockaddr_in)) name[..sizeof(sockaddr_in)].CopyTo(bytes);
        else name.CopyTo(bytes);
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

    // A shutdown ends the request with an empty message that nobody sent.
    private bool IsWakeUp(in ReceivedMessage message) =>
        _context.IsClosed && message.PayloadBytes == 0 && message.Name.IsEmpty;

    private static bool HasBuffer(in io_uring_cqe completion) =>
        (completion.flags & IoUring.IORING_CQE_F_BUFFER) != 0;

    private static ushort IdOf(in io_uring_cqe completion) =>
        (ushort)(completion.flags >> IoUring.IORING_CQE_BUFFER_SHIFT);

    // Completions that did not fit come only when the ring is entered (io_uring_enter.2), and the queue is then empty
    // of others, so their order is kept.
    private void FlushOverflow()
    {
        if (!_ring.HasOverflown || _ring.HasCompletions) return;
        OverflownCount++;
        _ring.Enter();
    }
}
