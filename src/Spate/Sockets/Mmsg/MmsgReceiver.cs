using System.Diagnostics;
using System.Runtime.CompilerServices;
using Spate.Buffers;
using Spate.Interop.Linux;
using Spate.Messages;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// The receiver of the Mmsg backend (Linux). One recvmmsg call fills the batch. With UDP_GRO on, a slot may get a
/// coalesced buffer. Lengths, flags and control messages are read from the message headers.
/// </summary>
internal sealed unsafe class MmsgReceiver<TCalls> : Receiver
    where TCalls : struct, ISocketCalls
{
    private readonly int _descriptor;
    private readonly HeaderLayout _layout;
    private readonly int _cutFlags;
    private readonly bool _readsInfo;
    private readonly ReceiveFaults _faults;
    private TCalls _calls;

    public MmsgReceiver(SocketContext context, bool coalesces, TCalls calls)
        : base(
            context,
            new ReceiverTraits { PollDescriptor = context.Descriptor, Coalesces = coalesces })
    {
        _calls = calls;
        _descriptor = context.Descriptor;
        _faults = new ReceiveFaults(context);
        _readsInfo = context.Options.Metadata != UdpMetadata.None;

        // Reserves more bytes than UDP_GRO needs. An option that was set by other means (SO_TIMESTAMPNS, SO_RXQ_OVFL)
        // adds its control message before that of UDP_GRO. If the control message of UDP_GRO does not fit, the segment
        // size is lost, and a coalesced buffer looks like one datagram.
        int controlBytes = _readsInfo || coalesces ? ControlMessages.MaxReceivedBytes : 0;
        _cutFlags = coalesces ? SysSocket.MSG_TRUNC | SysSocket.MSG_CTRUNC : SysSocket.MSG_TRUNC;
        uint nameBytes = context.IsIPv6 ? UdpEndPoint.NativeBytesOfIPv6 : (uint)UdpEndPoint.NativeBytesOfIPv4;
        _layout = context.IsConnected
            ? HeaderLayout.OfConnected(context.Remote, controlBytes)
            : HeaderLayout.OfUnconnected(nameBytes, controlBytes);
    }

    /// <inheritdoc/>
    public override ReceiveSlots CreateSlots(int slotCount, int slotBytes, int firstBytes)
    {
        int spilledBytes = slotBytes - firstBytes;
        SpillMemory? spill = spilledBytes > 0 ? SpillMemory.TryReserve(slotCount, spilledBytes) : null;
        return new MmsgReceiveSlots(slotCount, slotBytes, spill);
    }

    /// <inheritdoc/>
    public override ReceiveStatus Receive(ReceiveSlots slots, int timeoutMilliseconds)
    {
        var headers = (MmsgReceiveSlots)slots;
        headers.Begin();
        Prepare(headers);

        // MSG_WAITFORONE: recvmmsg blocks for the first datagram only, which saves a poll. The timeout argument of
        // recvmmsg is never used: the kernel checks it only after a datagram has arrived (recvmmsg.2, BUGS).
        int waitFlag = WaitsInCall(timeoutMilliseconds) ? SysSocket.MSG_WAITFORONE : SysSocket.MSG_DONTWAIT;
        int count = ReceiveMany(headers, waitFlag);
        if (count > 0) return Complete(headers, count);
        return IsJustEmpty(-count, timeoutMilliseconds)
            ? ReceiveStatus.TimedOut
            : ReceiveAfterError(headers, -count, waitFlag, timeoutMilliseconds);
    }

    /// <inheritdoc/>
    public override ReceiveStatus ReceiveOne(
        Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram)
    {
        int waitFlag = WaitsInCall(timeoutMilliseconds) ? 0 : SysSocket.MSG_DONTWAIT;
        ReceiveStatus status = TakeOne(buffer, waitFlag, out datagram, out int errno);
        if (status != ReceiveStatus.None) return status;
        return IsJustEmpty(errno, timeoutMilliseconds)
            ? ReceiveStatus.TimedOut
            : ReceiveOneAfterError(buffer, errno, waitFlag, timeoutMilliseconds, out datagram);
    }

    /// <inheritdoc/>
    public override ReceiveStatus WaitReadable(int timeoutMilliseconds)
    {
        if (Context.IsClosed) return ReceiveStatus.Closed;
        if (timeoutMilliseconds == 0)
        {
            // Empties the error queue: any entry in it would make poll report the socket as ready forever (socket.7,
            // POLLERR).
            if (Context.MayQueueErrors) Context.Errors.DrainAndCount();
            return ReceiveStatus.TimedOut;
        }

        int events = _calls.Poll(_descriptor, Poll.POLLIN, timeoutMilliseconds);
        if (Context.IsClosed) return ReceiveStatus.Closed;
        if (events > 0 && (events & Poll.POLLERR) != 0) Context.Errors.DrainAndCount();

        // A poll that a signal interrupted also returns Received: the caller then retries the receive and, if the queue
        // is empty, waits again for the remaining time.
        return events == 0 ? ReceiveStatus.TimedOut : ReceiveStatus.Received;
    }

    private ReceiveStatus ReceiveAfterError(
        MmsgReceiveSlots slots, int errno, int waitFlag, int timeoutMilliseconds)
    {
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        ReceiveBackOff backOff = default;
        while (true)
        {
            if (Context.IsClosed) return ReceiveStatus.Closed;
            if (OnError(errno, deadline, ref backOff) is { } status) return status;
            int count = ReceiveMany(slots, backOff.HasErrorsInRow ? SysSocket.MSG_DONTWAIT : waitFlag);
            if (count > 0) return Complete(slots, count);
            errno = -count;
        }
    }

    private ReceiveStatus ReceiveOneAfterError(
        Span<byte> buffer, int errno, int waitFlag, int timeoutMilliseconds, out ReceivedDatagram datagram)
    {
        datagram = default;
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        ReceiveBackOff backOff = default;
        while (true)
        {
            if (Context.IsClosed) return ReceiveStatus.Closed;
            if (OnError(errno, deadline, ref backOff) is { } ended) return ended;
            int flags = backOff.HasErrorsInRow ? SysSocket.MSG_DONTWAIT : waitFlag;
            ReceiveStatus status = TakeOne(buffer, flags, out datagram, out errno);
            if (status != ReceiveStatus.None) return status;
        }
    }

    /// <summary>
    /// Resets the headers before a call, because the kernel overwrote lengths and flags in the previous call.
    /// recvmmsg.2 does not mention this, but if msg_controllen is not reset, every later segment size is lost.
    /// </summary>
    private void Prepare(MmsgReceiveSlots slots)
    {
        if (slots.Layout != _layout || slots.BuffersChanged) slots.Renew(_layout);
        uint nameBytes = _layout.NameBytes;
        nuint controlBytes = (nuint)_layout.ControlBytes;
        foreach (ref mmsghdr message in slots.Messages.AsSpan(0, slots.WrittenCount))
        {
            message.msg_hdr.msg_namelen = nameBytes;
            message.msg_hdr.msg_controllen = controlBytes;
            message.msg_hdr.msg_flags = 0;
        }

        slots.WrittenCount = 0;
    }

    // Whether the receive call itself waits: only without a timeout, and only if the error queue stays empty. In all
    // other cases the receiver waits with poll, because poll reports entries of the error queue as well as datagrams.
    // Some entries are not errors of the socket: time stamps, and sent datagrams that were too long (ipv6_local_error).
    // They do not wake a receive that waits in the kernel, so they would fill the receive buffer unnoticed.
    private bool WaitsInCall(int timeoutMilliseconds) => timeoutMilliseconds < 0 && !Context.MayQueueErrors;

    // Whether a call that must not wait found the queue empty. This is frequent, so it is tested without a lookup in
    // ErrnoPolicy.
    private bool IsJustEmpty(int errno, int timeoutMilliseconds) =>
        errno == Errno.EAGAIN && timeoutMilliseconds == 0 && !Context.MayQueueErrors && !Context.IsClosed;

    /// <summary>Receives one datagram. Returns None, and the errno, if the call failed.</summary>
    private ReceiveStatus TakeOne(Span<byte> buffer, int waitFlag, out ReceivedDatagram datagram, out int errno)
    {
        datagram = default;
        UdpEndPoint peer = Context.Remote;
        int flags = SysSocket.MSG_TRUNC | waitFlag;
        int length = _readsInfo
            ? TakeWithInfo(buffer, flags, ref peer, out bool hasName, out DatagramInfo info)
            : TakePlain(buffer, flags, ref peer, out hasName, out info);
        errno = -length;
        if (length < 0) return ReceiveStatus.None;
        if (Context.IsClosed && length == 0 && !hasName) return ReceiveStatus.Closed;
        if (Context.IsIPv6) UdpEndPoint.Normalize(ref peer);
        datagram = CompleteOne(buffer.Length, length, peer, info);
        return ReceiveStatus.Received;
    }

    private ReceivedDatagram CompleteOne(int bufferBytes, int length, in UdpEndPoint peer, in DatagramInfo info)
    {
        bool truncated = length > bufferBytes;
        int writtenBytes = Math.Min(length, bufferBytes);
        Context.Counters.CountReceive(1, 1, writtenBytes);
        if (truncated) Context.Counters.CountTruncated(1);
        return new ReceivedDatagram(writtenBytes, truncated, peer, info);
    }

    // Uses recvfrom: recvmsg costs more if no control messages are needed.
    private int TakePlain(
        Span<byte> buffer, int flags, ref UdpEndPoint peer, out bool hasName, out DatagramInfo info)
    {
        uint nameBytes = _layout.NameBytes;
        fixed (byte* pointer = buffer)
        fixed (UdpEndPoint* name = &peer)
        {
            // SAFETY: buffer and peer are fixed for the call; the length of the name is on the stack.
            int length = _calls.ReceiveFrom(
                _descriptor, pointer, buffer.Length, flags, nameBytes == 0 ? null : name, &nameBytes);
            hasName = nameBytes != 0;
            info = DatagramInfo.None;
            return length;
        }
    }

    [SkipLocalsInit]
    private int TakeWithInfo(
        Span<byte> buffer, int flags, ref UdpEndPoint peer, out bool hasName, out DatagramInfo info)
    {
        byte* control = stackalloc byte[ControlMessages.MaxReceivedBytes];
        fixed (byte* pointer = buffer)
        fixed (UdpEndPoint* name = &peer)
        {
            // SAFETY: buffer and peer are fixed for the call; iovec and control are on the stack. Only control bytes
            // that the kernel has written are read.
            iovec piece = new() { iov_base = pointer, iov_len = (nuint)buffer.Length };
            msghdr message = new()
            {
                msg_name = _layout.NameBytes == 0 ? null : name,
                msg_namelen = _layout.NameBytes,
                msg_iov = &piece,
                msg_iovlen = 1,
                msg_control = control,
                msg_controllen = (nuint)_layout.ControlBytes,
            };
            int length = _calls.ReceiveMessage(_descriptor, &message, flags);
            hasName = message.msg_namelen != 0;
            info = DatagramInfo.None;
            if (length >= 0)
            {
                ReceivedControl.Read(new ReadOnlySpan<byte>(control, (int)message.msg_controllen), ref info);
            }
            return length;
        }
    }

    // Calls recvmsg for a batch of one slot: recvmmsg costs more for one message.
    private int ReceiveMany(MmsgReceiveSlots slots, int flags)
    {
        Debug.Assert(
            slots is { BuffersChanged: false, WrittenCount: 0 } && slots.Layout == _layout,
            "The kernel reads the lengths in the headers, and writes to the addresses in them.");

        // SAFETY: headers, slots and buffers are pinned. The batch keeps them alive, and the caller has a reference to
        // the batch.
        mmsghdr* messages = slots.First;
        if (slots.SlotCount > 1) return _calls.ReceiveMany(_descriptor, messages, slots.SlotCount, flags);
        int length = _calls.ReceiveMessage(_descriptor, &messages->msg_hdr, flags & ~SysSocket.MSG_WAITFORONE);
        if (length < 0) return length;
        messages->msg_len = (uint)length;
        return 1;
    }

    private ReceiveStatus Complete(MmsgReceiveSlots slots, int count)
    {
        Debug.Assert(count <= slots.SlotCount);
        slots.WrittenCount = count;
        ReadOnlySpan<mmsghdr> messages = slots.Messages.AsSpan(0, count);
        if (Context.IsClosed && IsWakeUp(messages[0])) return ReceiveStatus.Closed;
        DatagramInfo[]? info = _readsInfo ? slots.InfoForWriting : null;
        slots.HasInfo = _readsInfo;
        int truncatedCount = 0;
        Span<ReceiveSlot> filled = slots.All[..count];
        for (int i = 0; i < filled.Length; i++)
        {
            ref readonly mmsghdr message = ref messages[i];
            ref ReceiveSlot slot = ref filled[i];
            slot.LengthBytes = (int)message.msg_len;
            slot.SegmentBytes = 0;
            slot.IsTruncated = (message.msg_hdr.msg_flags & _cutFlags) != 0;
            if (slot.IsTruncated) truncatedCount++;
            if (slot.LengthBytes > slots.FirstBytes) slots.Gather(i);
            if (info is not null) info[i] = DatagramInfo.None;
            if (message.msg_hdr.msg_controllen != 0)
            {
                ReadOnlySpan<byte> control = slots.ControlOf(i);
                slot.SegmentBytes = info is null
                    ? ReceivedControl.SegmentBytes(control)
                    : ReceivedControl.Read(control, ref info[i]);
            }

            if (Context.IsIPv6) UdpEndPoint.Normalize(ref slot.Peer);
        }

        slots.Complete(count);
        Context.Counters.CountReceive(slots.Count, count, slots.ByteCount);
        if (truncatedCount > 0) Context.Counters.CountTruncated(truncatedCount);
        if (slots.HasSpilled) slots.DiscardSpill();
        return ReceiveStatus.Received;
    }

    // Whether the message only reports a shutdown: the shutdown wakes a waiting receive with an empty message that has
    // no address and that no peer sent.
    private bool IsWakeUp(in mmsghdr message) =>
        message.msg_len == 0 && (message.msg_hdr.msg_namelen == 0 || Context.IsConnected);

    /// <summary>
    /// Reacts to the error of a call; the reaction may include a wait. Returns the result of the receive, or null to
    /// try again.
    /// </summary>
    private ReceiveStatus? OnError(int errno, in Deadline deadline, ref ReceiveBackOff backOff)
    {
        ErrnoAction action = ErrnoPolicy.Of(errno).Receive;
        if (action != ErrnoAction.WouldBlock) return _faults.Handle(errno, deadline, ref backOff);
        backOff.OnEmpty();
        ReceiveStatus status = WaitReadable(deadline.RemainingMilliseconds);
        return status == ReceiveStatus.Received ? null : status;
    }
}
