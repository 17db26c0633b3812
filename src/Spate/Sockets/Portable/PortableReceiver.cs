using System.Buffers;
using System.Net;
using System.Net.Sockets;
using Spate.Buffers;

namespace Spate.Sockets.Portable;

/// <summary>
/// The receiver of the Portable backend: uses System.Net.Sockets, on every operating system. It waits for the first
/// datagram, then takes the queued datagrams until the batch is full, with one call per datagram and no allocation.
/// </summary>
internal sealed class PortableReceiver : Receiver
{
    // The largest number of consecutive receives that may fail with ICMP errors before a pause; each failure costs an
    // exception. With 5, a server thread uses about 5 % of a CPU if all its receives fail.
    private const int MaxAttemptCount = 5;

    // One byte more than the longest payload, so that a payload of this length can be distinguished from a payload that
    // was cut off.
    private const int ScratchBytes = 65_536;

    private readonly Socket _socket;
    private readonly SocketAddress _address;
    private readonly Lock _lock = new();
    private readonly PortableWait _wait;
    private readonly ReceiveFaults _faults;

    public PortableReceiver(SocketContext context)
        : base(context, new ReceiverTraits { PollDescriptor = context.Descriptor })
    {
        _socket = context.Socket;
        _socket.Blocking = false;
        _address = new SocketAddress(_socket.AddressFamily);
        _wait = new PortableWait(context);
        _faults = new ReceiveFaults(context, SocketErrorPolicy.Describe, MaxAttemptCount);
    }

    /// <inheritdoc/>
    public override ReceiveSlots CreateSlots(int slotCount, int slotBytes, int firstBytes) =>
        new(slotCount, slotBytes, firstBytes);

    /// <inheritdoc/>
    public override ReceiveStatus Receive(ReceiveSlots slots, int timeoutMilliseconds)
    {
        slots.Begin();
        slots.HasInfo = false;
        return Receive(slots, default, timeoutMilliseconds, out _);
    }

    /// <inheritdoc/>
    public override ReceiveStatus ReceiveOne(
        Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram) =>
        Receive(null, buffer, timeoutMilliseconds, out datagram);

    /// <inheritdoc/>
    public override ReceiveStatus WaitReadable(int timeoutMilliseconds) =>
        _wait.Wait(SelectMode.SelectRead, timeoutMilliseconds) switch
        {
            true => ReceiveStatus.Received,
            false => Context.IsClosed ? ReceiveStatus.Closed : ReceiveStatus.TimedOut,
        };

    /// <summary>
    /// Fills the slots, or receives one datagram into the buffer if <paramref name="slots"/> is null.
    /// </summary>
    private ReceiveStatus Receive(
        ReceiveSlots? slots, Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram)
    {
        datagram = default;
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        ReceiveBackOff backOff = default;
        while (true)
        {
            // After an ICMP error, poll to see whether anything is pending. If not, the series of errors has ended.
            if (backOff.HasErrorsInRow && !_wait.IsReady(SelectMode.SelectRead)) backOff.OnEmpty();
            ReceiveStatus status = WaitReadable(deadline.RemainingMilliseconds);
            if (status != ReceiveStatus.Received) return status;
            if (backOff.HasErrorsInRow) TakePendingError();
            bool isFilled = slots is not null
                ? TryFill(slots, out SocketError error)
                : TryTakeOne(buffer, out datagram, out error);
            if (isFilled) return ReceiveStatus.Received;
            if (Context.IsClosed) return ReceiveStatus.Closed;
            ErrnoAction action = Decide(error);

            // Another thread has taken the datagram that ended the wait.
            if (action == ErrnoAction.WouldBlock) continue;
            if (action == ErrnoAction.PendingError) Context.NoteIcmpError(error);
            if (_faults.Handle(action, (int)error, deadline, ref backOff) is { } ended) return ended;
        }
    }

    // Takes a pending ICMP error by reading SO_ERROR, which clears the error. A receive would clear the error too, but
    // report it by an exception. An exception takes long, so in a flood of errors the next error would be pending
    // before the next receive.
    private void TakePendingError()
    {
        if (_socket.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.Error) is not int error || error == 0)
        {
            return;
        }

        Context.Counters.CountIcmpError();
        Context.NoteIcmpError((SocketError)error);
        Context.ThrowIfPortUnreachable();
    }

    // Notes an error that came after some datagrams in the same receive. The call that returned the error has cleared
    // it in the system. This receive returns the datagrams; a later receive throws, if the socket reports such errors.
    private void KeepForLater(SocketError error)
    {
        Context.NoteIcmpError(error);
        Context.Counters.CountIcmpError();
        if (Context.MayQueueErrors) Context.Errors.Drain(out _);
        if (Context.IsPortUnreachable) Context.TryReceivesSoon?.Invoke();
    }

    private bool TryFill(ReceiveSlots slots, out SocketError error)
    {
        byte[]? scratch = slots.FirstBytes < slots.SlotBytes ? ArrayPool<byte>.Shared.Rent(ScratchBytes) : null;
        int count;
        int truncatedCount;
        try
        {
            count = Fill(slots, scratch, out truncatedCount, out error);
        }
        finally
        {
            if (scratch is not null) ArrayPool<byte>.Shared.Return(scratch);
        }

        if (count == 0) return false;
        if (Decide(error) == ErrnoAction.PendingError) KeepForLater(error);
        slots.Complete(count);
        Context.Counters.CountReceive(count, count, slots.ByteCount);
        if (truncatedCount > 0) Context.Counters.CountTruncated(truncatedCount);
        return true;
    }

    // A small slot receives through the scratch buffer: the datagram's length is known only after the receive, when it
    // is too late to grow the slot.
    private int Fill(ReceiveSlots slots, byte[]? scratch, out int truncatedCount, out SocketError error)
    {
        error = SocketError.WouldBlock;
        truncatedCount = 0;
        int count = 0;
        lock (_lock)
        {
            Span<ReceiveSlot> all = slots.All;
            while (count < all.Length && (count == 0 || _socket.Poll(0, SelectMode.SelectRead)))
            {
                ref ReceiveSlot slot = ref all[count];
                byte[]? detour = slots.IsSmall(count) ? scratch : null;
                if (!TryReceiveInto(detour ?? slots.ArrayOf(count), slots.SlotBytes, ref slot, out error)) break;
                if (Context.IsClosed && slot.LengthBytes == 0) break;
                if (detour is not null) slots.Store(count, detour.AsSpan(0, slot.LengthBytes));
                if (slot.IsTruncated) truncatedCount++;
                count++;
            }
        }

        return count;
    }

    // Receives into a scratch buffer that has room for any datagram, then copies the payload to the caller's buffer. If
    // the system wrote to the caller's buffer directly, the length would not show that a datagram was cut off.
    private bool TryTakeOne(Span<byte> buffer, out ReceivedDatagram datagram, out SocketError error)
    {
        datagram = default;
        ReceiveSlot slot = default;
        byte[] scratch = ArrayPool<byte>.Shared.Rent(ScratchBytes);
        try
        {
            lock (_lock)
            {
                // Polls again before the receive, because a failed receive costs an exception: another thread may have
                // taken the datagram that woke this thread.
                error = SocketError.WouldBlock;
                if (!_wait.IsReady(SelectMode.SelectRead)) return false;
                if (!TryReceiveInto(scratch, ScratchBytes - 1, ref slot, out error)) return false;
            }

            if (Context.IsClosed && slot.LengthBytes == 0) return false;
            int lengthBytes = Math.Min(slot.LengthBytes, buffer.Length);
            bool isTruncated = slot.IsTruncated || lengthBytes < slot.LengthBytes;
            scratch.AsSpan(0, lengthBytes).CopyTo(buffer);
            datagram = new ReceivedDatagram(lengthBytes, isTruncated, slot.Peer, DatagramInfo.None);
            Context.Counters.CountReceive(1, 1, lengthBytes);
            if (isTruncated) Context.Counters.CountTruncated(1);
            return true;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(scratch);
        }
    }

    private bool TryReceiveInto(byte[] buffer, int maxBytes, ref ReceiveSlot slot, out SocketError error)
    {
        error = SocketError.Success;
        slot.SegmentBytes = 0;
        try
        {
            int length = _socket.ReceiveFrom(buffer, SocketFlags.None, _address);

            // Only a datagram that is longer than the slot reaches the spare byte at the end of the buffer.
            slot.IsTruncated = length > maxBytes;
            slot.LengthBytes = Math.Min(length, maxBytes);
        }
        catch (SocketException exception) when (IsTruncation(exception.SocketErrorCode))
        {
            slot.IsTruncated = true;
            slot.LengthBytes = maxBytes;
        }
        catch (SocketException exception)
        {
            error = exception.SocketErrorCode;
            return false;
        }

        slot.Peer = Context.Remote;
        if (!Context.IsConnected) UdpEndPoint.TryFromSocketAddress(_address, out slot.Peer);
        return true;
    }

    // Whether a datagram was cut off: Windows reports this by the error MessageSize. The buffer then contains the bytes
    // that fitted. On other systems the error is one of ICMP (SocketErrorPolicy).
    private static bool IsTruncation(SocketError error) =>
        error == SocketError.MessageSize && OperatingSystem.IsWindows();

    private static ErrnoAction Decide(SocketError error) => SocketErrorPolicy.Of((int)error).Receive;
}
