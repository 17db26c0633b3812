using System.Net.Sockets;
using Spate.Buffers;
using Spate.Diagnostics;

namespace Spate.Backends.Portable;

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
            if (TryFill(batch, out ErrnoAction fault)) return ReceiveStatus.Received;
            if (Context.IsClosed) return ReceiveStatus.Closed;

            // WouldBlock: another thread was faster. The rest is waited for in the way of its kind.
            if (fault is ErrnoAction.WouldBlock or ErrnoAction.Retry) continue;
            if (fault == ErrnoAction.Closed) return ReceiveStatus.Closed;
            if (fault == ErrnoAction.PendingError)
            {
                bool isPending = backOff.OnPendingError(out bool readsErrorQueue);
                if (readsErrorQueue) ReadErrorQueue();
                if (isPending) continue;
            }

            int pause = backOff.NextPauseMilliseconds();
            int remaining = deadline.RemainingMilliseconds;
            if (remaining == 0)
            {
                Context.RetryReceiveLater = true;
                return ReceiveStatus.TimedOut;
            }

            Context.Pause(remaining < 0 ? pause : Math.Min(remaining, pause));
        }
    }

    private bool TryFill(ReceiveBatch batch, out ErrnoAction fault)
    {
        fault = ErrnoAction.WouldBlock;
        int count = 0;
        int truncatedCount = 0;
        lock (_receiveLock)
        {
            Span<ReceiveSlot> slots = batch.Slots;
            while (count < slots.Length && (count == 0 || _socket.Poll(0, SelectMode.SelectRead)))
            {
                ref ReceiveSlot slot = ref slots[count];
                if (!TryReceiveInto(batch.BufferOf(count).Array, batch.SlotBytes, ref slot, out fault)) break;
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

    private bool TryReceiveInto(byte[] buffer, int slotBytes, ref ReceiveSlot slot, out ErrnoAction fault)
    {
        fault = ErrnoAction.Retry;
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
            fault = IsPathError(exception.SocketErrorCode) ? ErrnoAction.PendingError : Decide(exception);
            CountFault(fault, exception.SocketErrorCode);
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

    private void CountFault(ErrnoAction fault, SocketError error)
    {
        if (fault == ErrnoAction.PendingError) Context.Counters.CountIcmpError();
        if (fault == ErrnoAction.NoBuffers) Context.Counters.CountNoBuffers();
        if (fault != ErrnoAction.RefuseDatagram) return;

        // On receive nothing is refused: this is an error without a known meaning, so the loop goes on after a pause.
        Context.Counters.CountUnknownError();
        if (Context.Events.TryPass(EventKind.UnknownReceiveError, out long count))
            SpateEventSource.Log.UnknownReceiveError(error.ToString(), count);
    }
}
