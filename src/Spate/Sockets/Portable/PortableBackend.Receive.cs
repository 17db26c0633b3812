using System.Net.Sockets;
using Spate.Buffers;

namespace Spate.Sockets.Portable;

/// <summary>Receiving: wait for the first datagram, then take what is there, one call each.</summary>
internal sealed partial class PortableBackend
{
    /// <inheritdoc/>
    public override ReceiveStatus Receive(ReceiveBatch batch, int timeoutMilliseconds)
    {
        batch.BeginFill();
        batch.HasInfo = false;
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        ReceiveBackOff backOff = default;
        while (true)
        {
            // After an error the wait must tell whether there is anything at all.
            if (backOff.HasErrorsInRow && !IsReady(SelectMode.SelectRead)) backOff.OnEmpty();
            ReceiveStatus status = WaitReadable(deadline.RemainingMilliseconds);
            if (status != ReceiveStatus.Received) return status;
            if (backOff.HasErrorsInRow) TakePendingError();
            if (TryFill(batch, out SocketError error)) return ReceiveStatus.Received;
            if (Context.IsClosed) return ReceiveStatus.Closed;
            ErrnoAction action = IsPathError(error) ? ErrnoAction.PendingError : SocketErrorPolicy.Decide(error);

            // Another thread was faster.
            if (action == ErrnoAction.WouldBlock) continue;
            if (_receiveFaults.Handle(action, (int)error, deadline, ref backOff) is { } ended) return ended;
        }
    }

    // Asking for the error clears it, as the call that tells it does, but takes no time: in that of an exception a
    // flood of errors brings the next one.
    private void TakePendingError()
    {
        if (_socket.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.Error) is not 0)
            Context.Counters.CountIcmpError();
    }

    private bool TryFill(ReceiveBatch batch, out SocketError error)
    {
        error = SocketError.WouldBlock;
        int count = 0;
        int truncatedCount = 0;
        lock (_receiveLock)
        {
            Span<ReceiveSlot> slots = batch.Slots;
            while (count < slots.Length && (count == 0 || _socket.Poll(0, SelectMode.SelectRead)))
            {
                ref ReceiveSlot slot = ref slots[count];
                if (!TryReceiveInto(batch.BufferOf(count).Array, batch.SlotBytes, ref slot, out error)) break;
                if (Context.IsClosed && slot.LengthBytes == 0) break;
                if (slot.Truncated) truncatedCount++;
                count++;
            }
        }

        if (count == 0) return false;
        batch.EndFill(count, out long bytes);
        Context.Counters.CountReceive(count, count, bytes);
        if (truncatedCount > 0) Context.Counters.CountTruncated(truncatedCount);
        return true;
    }

    private bool TryReceiveInto(byte[] buffer, int slotBytes, ref ReceiveSlot slot, out SocketError error)
    {
        error = SocketError.Success;
        slot.SegmentBytes = 0;
        try
        {
            int length = _socket.ReceiveFrom(buffer, SocketFlags.None, _receiveAddress);

            // The spare byte is reached only by a datagram that was longer than the slot.
            slot.Truncated = length > slotBytes;
            slot.LengthBytes = Math.Min(length, slotBytes);
        }
        catch (SocketException exception) when (IsTruncation(exception.SocketErrorCode))
        {
            slot.Truncated = true;
            slot.LengthBytes = slotBytes;
        }
        catch (SocketException exception)
        {
            error = exception.SocketErrorCode;
            return false;
        }

        slot.Peer = Context.Remote;
        if (!Context.IsConnected) UdpEndPoint.TryFromSocketAddress(_receiveAddress, out slot.Peer);
        return true;
    }

    // Windows reports truncation so, and the buffer holds what fitted.
    private static bool IsTruncation(SocketError error) =>
        error == SocketError.MessageSize && OperatingSystem.IsWindows();

    // Elsewhere it is what an ICMP message (fragmentation needed; IPv6: prohibited) left on a connected socket, and
    // nothing was received. A send gets the same errors for its own datagram.
    private static bool IsPathError(SocketError error) => error is SocketError.MessageSize or SocketError.AccessDenied;
}
