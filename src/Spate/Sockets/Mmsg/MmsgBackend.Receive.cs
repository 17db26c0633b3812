using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Interop.Linux;
using Spate.Messages;

namespace Spate.Sockets.Mmsg;

/// <summary>Receiving: one recvmmsg fills the batch; what it reports is read from the headers.</summary>
internal sealed unsafe partial class MmsgBackend<TCalls>
{
    /// <inheritdoc/>
    public override ReceiveStatus Receive(ReceiveBatch batch, int timeoutMilliseconds)
    {
        MmsgReceiveHeaders headers = HeadersOf(batch);
        batch.BeginFill();
        headers.Prepare(batch, _receiveShape);

        // MSG_WAITFORONE blocks for the first datagram only and saves the poll. Never with recvmmsg's own timeout,
        // which is looked at only after a datagram has come (recvmmsg.2, BUGS).
        int waitFlag = WaitsInCall(timeoutMilliseconds) ? SysSocket.MSG_WAITFORONE : SysSocket.MSG_DONTWAIT;
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        ReceiveBackOff backOff = default;
        while (true)
        {
            int flags = backOff.HasErrorsInRow ? SysSocket.MSG_DONTWAIT : waitFlag;
            int count = ReceiveMany(headers, batch.SlotCount, flags);
            if (count > 0)
            {
                headers.NoteUsed(count);
                if (Context.IsClosed && IsWakeUp(headers[0])) return ReceiveStatus.Closed;
                Complete(batch, headers, count);
                return ReceiveStatus.Received;
            }

            if (Context.IsClosed) return ReceiveStatus.Closed;
            if (OnReceiveError(-count, deadline, ref backOff) is { } status) return status;
        }
    }

    /// <inheritdoc/>
    public override ReceiveStatus ReceiveOne(
        Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram)
    {
        datagram = default;
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        ReceiveBackOff backOff = default;
        int waitFlag = WaitsInCall(timeoutMilliseconds) ? 0 : SysSocket.MSG_DONTWAIT;
        while (true)
        {
            int flags = SysSocket.MSG_TRUNC | (backOff.HasErrorsInRow ? SysSocket.MSG_DONTWAIT : waitFlag);
            UdpEndPoint peer = Context.Remote;
            int length = _readsInfo
                ? TakeWithInfo(buffer, flags, ref peer, out bool hasName, out DatagramInfo info)
                : TakePlain(buffer, flags, ref peer, out hasName, out info);
            if (length >= 0)
            {
                if (Context.IsClosed && length == 0 && !hasName) return ReceiveStatus.Closed;
                if (Context.IsIPv6) UdpEndPoint.Normalize(ref peer);
                datagram = CompleteOne(buffer.Length, length, peer, info);
                return ReceiveStatus.Received;
            }

            if (Context.IsClosed) return ReceiveStatus.Closed;
            if (OnReceiveError(-length, deadline, ref backOff) is { } status) return status;
        }
    }

    // A receive that waits in the kernel is not woken by what is queued without being an error of the socket: time
    // stamps, and datagrams of its own that were too long (ipv6_local_error). That would fill its buffer unseen, so it
    // waits in poll, which tells of both.
    private bool WaitsInCall(int timeoutMilliseconds) => timeoutMilliseconds < 0 && !Context.MayQueueErrors;

    private ReceivedDatagram CompleteOne(int bufferBytes, int length, in UdpEndPoint peer, in DatagramInfo info)
    {
        bool truncated = length > bufferBytes;
        int writtenBytes = Math.Min(length, bufferBytes);
        Context.Counters.CountReceive(1, 1, writtenBytes);
        if (truncated) Context.Counters.CountTruncated(1);
        return new ReceivedDatagram(writtenBytes, truncated, peer, info);
    }

    // recvmsg for a datagram without control messages costs more than recvfrom.
    private int TakePlain(
        Span<byte> buffer, int flags, ref UdpEndPoint peer, out bool hasName, out DatagramInfo info)
    {
        uint nameBytes = _receiveShape.NameBytes;
        fixed (byte* pointer = buffer)
        fixed (UdpEndPoint* name = &peer)
        {
            // SAFETY: buffer and peer are fixed for the call; the length of the name lies on the stack.
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
        byte* control = stackalloc byte[ControlMessages.ReceivedBytesMax];
        fixed (byte* pointer = buffer)
        fixed (UdpEndPoint* name = &peer)
        {
            // SAFETY: buffer and peer are fixed for the call; iovec and control lie on the stack. Of control only what
            // the kernel has written is read.
            iovec piece = new() { iov_base = pointer, iov_len = (nuint)buffer.Length };
            msghdr message = new()
            {
                msg_name = _receiveShape.NameBytes == 0 ? null : name,
                msg_namelen = _receiveShape.NameBytes,
                msg_iov = &piece,
                msg_iovlen = 1,
                msg_control = control,
                msg_controllen = (nuint)_receiveShape.ControlBytes,
            };
            int length = _calls.ReceiveMessage(_descriptor, &message, flags);
            hasName = message.msg_namelen != 0;
            info = DatagramInfo.None;
            if (length >= 0)
                ReceivedControl.Read(new ReadOnlySpan<byte>(control, (int)message.msg_controllen), ref info);
            return length;
        }
    }

    // recvmmsg for one message costs more than the plain call.
    private int ReceiveMany(MmsgReceiveHeaders headers, int slotCount, int flags)
    {
        // SAFETY: headers, slots and buffers are pinned and kept by the batch, which the caller holds.
        mmsghdr* messages = headers.Messages;
        if (slotCount > 1) return _calls.ReceiveMany(_descriptor, messages, slotCount, flags);
        int length = _calls.ReceiveMessage(_descriptor, &messages->msg_hdr, flags & ~SysSocket.MSG_WAITFORONE);
        if (length < 0) return length;
        messages->msg_len = (uint)length;
        return 1;
    }

    private void Complete(ReceiveBatch batch, MmsgReceiveHeaders headers, int count)
    {
        Span<ReceiveSlot> slots = batch.Slots[..count];
        DatagramInfo[]? info = _readsInfo ? batch.InfoForWriting : null;
        batch.HasInfo = _readsInfo;
        int truncatedCount = 0;
        for (int i = 0; i < slots.Length; i++)
        {
            ref readonly mmsghdr message = ref headers[i];
            ref ReceiveSlot slot = ref slots[i];
            slot.LengthBytes = (int)message.msg_len;
            slot.SegmentBytes = 0;
            slot.Truncated = (message.msg_hdr.msg_flags & _cutFlags) != 0;
            if (slot.Truncated) truncatedCount++;
            if (info is not null) info[i] = DatagramInfo.None;
            if (message.msg_hdr.msg_controllen != 0)
            {
                ReadOnlySpan<byte> control = headers.ControlOf(i);
                slot.SegmentBytes = info is null
                    ? ReceivedControl.SegmentBytes(control)
                    : ReceivedControl.Read(control, ref info[i]);
            }

            if (Context.IsIPv6) UdpEndPoint.Normalize(ref slot.Peer);
        }

        batch.EndFill(count, out long bytes);
        Context.Counters.CountReceive(batch.Count, count, bytes);
        if (truncatedCount > 0) Context.Counters.CountTruncated(truncatedCount);
    }

    // A shutdown wakes a waiting receive with an empty message without an address, which nobody sent.
    private bool IsWakeUp(in mmsghdr message) =>
        message.msg_len == 0 && (message.msg_hdr.msg_namelen == 0 || Context.IsConnected);

    /// <summary>Null: try again.</summary>
    private ReceiveStatus? OnReceiveError(int errno, in Deadline deadline, ref ReceiveBackOff backOff)
    {
        if (ErrnoPolicy.Decide(errno, SocketOperation.Receive) != ErrnoAction.WouldBlock)
            return _receiveFaults.Handle(errno, deadline, ref backOff);
        backOff.OnEmpty();
        ReceiveStatus status = WaitReadable(deadline.RemainingMilliseconds);
        return status == ReceiveStatus.Received ? null : status;
    }

    private static MmsgReceiveHeaders HeadersOf(ReceiveBatch batch)
    {
        if (batch.BackendState is MmsgReceiveHeaders headers) return headers;
        headers = new MmsgReceiveHeaders(batch);
        batch.BackendState = headers;
        return headers;
    }
}
