using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Backends.Messages;
using Spate.Buffers;
using Spate.Interop.Linux;

namespace Spate.Backends.Mmsg;

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
        int flags = timeoutMilliseconds < 0 ? SysSocket.MSG_WAITFORONE : SysSocket.MSG_DONTWAIT;
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        ReceiveBackOff backOff = default;
        while (true)
        {
            // SAFETY: headers, slots and buffers are pinned and kept by the batch, which is alive until the end of
            // this method.
            int count = _calls.ReceiveMany(_descriptor, headers.Messages, batch.SlotCount, flags);
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
        int flags = (timeoutMilliseconds < 0 ? 0 : SysSocket.MSG_DONTWAIT) | SysSocket.MSG_TRUNC;
        byte* control = stackalloc byte[ControlMessages.ReceivedBytesMax];
        while (true)
        {
            UdpEndPoint peer = Context.Remote;
            fixed (byte* pointer = buffer)
            {
                // SAFETY: buffer is fixed for the call; name, iovec and control lie on the stack.
                iovec piece = new() { iov_base = pointer, iov_len = (nuint)buffer.Length };
                msghdr message = new()
                {
                    msg_name = &peer,
                    msg_namelen = _receiveShape.NameBytes,
                    msg_iov = &piece,
                    msg_iovlen = 1,
                    msg_control = control,
                    msg_controllen = (nuint)_receiveShape.ControlBytes,
                };
                if (_receiveShape.NameBytes == 0) message.msg_name = null;
                int length = _calls.ReceiveMessage(_descriptor, &message, flags);
                if (length >= 0)
                {
                    if (Context.IsClosed && length == 0 && message.msg_namelen == 0) return ReceiveStatus.Closed;
                    if (Context.IsIPv6) UdpEndPoint.Normalize(ref peer);
                    var control1 = new ReadOnlySpan<byte>(control, (int)message.msg_controllen);
                    datagram = CompleteOne(buffer.Length, length, peer, control1);
                    return ReceiveStatus.Received;
                }

                if (Context.IsClosed) return ReceiveStatus.Closed;
                if (OnReceiveError(-length, deadline, ref backOff) is { } status) return status;
            }
        }
    }

    private ReceivedDatagram CompleteOne(int bufferBytes, int length, in UdpEndPoint peer, ReadOnlySpan<byte> control)
    {
        DatagramInfo info = DatagramInfo.None;
        if (_readsInfo) ReceivedControl.Read(control, ref info);
        bool truncated = length > bufferBytes;
        int writtenBytes = Math.Min(length, bufferBytes);
        Context.Counters.CountReceive(1, 1, writtenBytes);
        if (truncated) Context.Counters.CountTruncated(1);
        return new ReceivedDatagram(writtenBytes, truncated, peer, info);
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
