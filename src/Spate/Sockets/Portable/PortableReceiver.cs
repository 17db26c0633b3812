using System.Buffers;
using System.Net;
using System.Net.Sockets;
using Spate.Buffers;

namespace Spate.Sockets.Portable;

/// <summary>
/// System.Net.Sockets on every operating system: waits for the first datagram, then takes all queued datagrams, with
/// one call per datagram and no allocation.
/// </summary>
internal sealed class PortableReceiver : Receiver
{
    // Each attempt costs an exception. With this limit, a server thread whose receives are forbidden uses a twentieth
    // of a CPU.
    private const int MaxAttemptCount = 5;

    // One byte more than the longest payload, to distinguish that payload from one that was cut off.
    private const int ScratchBytes = 65_536;

    private readonly Socket _socket;
    private readonly SocketAddress _address;
    private readonly Lock _lock = new();
    private readonly PortableWait _wait;
    private readonly ReceiveFaults _faults;

    public PortableReceiver(SocketContext context)
        : base(context, new ReceiverTraits { PollDescriptor = context.Descriptor, IsWaitedForByRuntime = true })
    {
        _socket = context.Socket;
        _socket.Blocking = false;
        _address = new SocketAddress(_socket.AddressFamily);
        _wait = new PortableWait(context);
        _faults = new ReceiveFaults(context, static error => ((SocketError)error).ToString(), MaxAttemptCount);
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

    /// <summary>Receives into slots, or one datagram into the buffer if slots is null.</summary>
    private ReceiveStatus Receive(
        ReceiveSlots? slots, Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram)
    {
        datagram = default;
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        ReceiveBackOff backOff = default;
        while (true)
        {
            // After an error, a poll shows whether anything is pending; if not, the row of errors has ended.
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

            // Another thread took the datagram first.
            if (action == ErrnoAction.WouldBlock) continue;
            if (action == ErrnoAction.PendingError) Context.NoteIcmpError(error);
            if (_faults.Handle(action, (int)error, deadline, ref backOff) is { } ended) return ended;
        }
    }

    // Reading SO_ERROR clears the error, as the call that reports the error would, but without an exception. An
    // exception takes long enough for a flood of errors to bring the next error.
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

    // The call that met the error has cleared it. This receive returns the datagrams before the error, so a later
    // receive throws.
    private void KeepForLater(SocketError error)
    {
        Context.NoteIcmpError(error);
        Context.Counters.CountIcmpError();
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

    // A small slot receives through the scratch buffer: the datagram's length is known too late to grow the slot first.
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

    // Receives through a buffer that is larger than the caller's: only its spare byte shows that a datagram was cut
    // off.
    private bool TryTakeOne(Span<byte> buffer, out ReceivedDatagram datagram, out SocketError error)
    {
        datagram = default;
        ReceiveSlot slot = default;
        byte[] scratch = ArrayPool<byte>.Shared.Rent(ScratchBytes);
        try
        {
            lock (_lock)
            {
                // Another thread may have taken the datagram that woke this thread, and a failed receive costs an
                // exception.
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

            // Only a datagram that is longer than the slot reaches the spare byte.
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

    // Windows reports truncation by this error, and the buffer contains the bytes that fitted.
    private static bool IsTruncation(SocketError error) =>
        error == SocketError.MessageSize && OperatingSystem.IsWindows();

    private static ErrnoAction Decide(SocketError error) =>
        IsPathError(error) ? ErrnoAction.PendingError : SocketErrorPolicy.Decide(error);

    // On other systems, these errors come from an ICMP message (fragmentation needed; IPv6: prohibited) on a connected
    // socket, and no datagram was received. A send gets the same errors for its own datagram.
    private static bool IsPathError(SocketError error) => error is SocketError.MessageSize or SocketError.AccessDenied;
}
