using Spate.Buffers;

namespace Spate;

// Receives that block or return at once, and the creation of receive batches.
public sealed partial class UdpSocket
{
    private const int ForeverMilliseconds = -1;
    private const int MaxSlotBytes = 65_535;
    private const int MaxSlotCount = 1024;

    /// <summary>
    /// Creates a batch for this socket; other sockets of the same backend can use it too. The method also works
    /// on a closed socket.
    /// </summary>
    /// <param name="options">The number and size of the slots; null for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">The number or the size of the slots is out of range.</exception>
    public ReceiveBatch CreateReceiveBatch(ReceiveBatchOptions? options = null)
    {
        options ??= new ReceiveBatchOptions();
        int slotCount = options.SlotCount
            ?? (CoalescedReceive
                ? ReceiveBatchOptions.DefaultCoalescedSlotCount
                : ReceiveBatchOptions.DefaultSlotCount);
        int slotBytes = options.SlotBytes ?? MaxSlotBytes;
        if (slotCount is < 1 or > MaxSlotCount)
        {
            throw new ArgumentOutOfRangeException(nameof(options), slotCount, $"SlotCount is 1 to {MaxSlotCount}.");
        }
        if (slotBytes is < 1 or > MaxSlotBytes)
        {
            throw new ArgumentOutOfRangeException(nameof(options), slotBytes, $"SlotBytes is 1 to {MaxSlotBytes}.");
        }
        if (CoalescedReceive) slotBytes = MaxSlotBytes;
        bool grows = options.SlotBytes is null && !CoalescedReceive;
        int firstBytes = grows ? ReceiveBatchOptions.FirstSlotBytes : slotBytes;
        return new ReceiveBatch(Backend, _receiver.CreateSlots(slotCount, slotBytes, firstBytes));
    }

    /// <summary>
    /// Waits for datagrams, then receives the queued datagrams: at most one buffer per slot of the batch.
    /// </summary>
    /// <param name="batch">A batch of this backend. Datagrams of its previous receive become invalid.</param>
    /// <returns><see cref="ReceiveStatus.Received"/>, or <see cref="ReceiveStatus.Closed"/> once the socket is
    /// closed.</returns>
    /// <exception cref="System.Net.Sockets.SocketException">
    /// Nobody listens at the peer's port, and the socket reports that
    /// (<see cref="UdpSocketOptions.ReportPortUnreachable"/>). All receives of the socket throw this exception, awaited
    /// receives included.
    /// </exception>
    public ReceiveStatus Receive(ReceiveBatch batch) => ReceiveCore(batch, ForeverMilliseconds);

    /// <summary>
    /// Receives as <see cref="Receive(ReceiveBatch)"/> does, but returns <see cref="ReceiveStatus.TimedOut"/> if
    /// nothing arrives within the timeout.
    /// </summary>
    /// <param name="batch">A batch of this backend. Datagrams of its previous receive become invalid.</param>
    /// <param name="timeout">
    /// The longest wait, rounded up to whole milliseconds; <see cref="Timeout.InfiniteTimeSpan"/> waits forever.
    /// </param>
    public ReceiveStatus Receive(ReceiveBatch batch, TimeSpan timeout) => ReceiveCore(batch, ToMilliseconds(timeout));

    /// <summary>
    /// Receives the queued datagrams without waiting. Returns <see cref="ReceiveStatus.TimedOut"/> if none are queued.
    /// </summary>
    /// <param name="batch">A batch of this backend. Datagrams of its previous receive become invalid.</param>
    public ReceiveStatus TryReceive(ReceiveBatch batch) => ReceiveCore(batch, 0);

    /// <summary>
    /// Waits for one datagram and receives it. With <see cref="CoalescedReceive"/> and on Uring the call may take more
    /// datagrams from the system. The extra datagrams stay in the socket for the next receives, of single datagrams or
    /// of batches. On such a socket, the first receive of a single datagram changes how all later receives wait: they
    /// wait in one common queue. A batch receive that is allowed to wait then costs a lock and one more system call per
    /// wait. Before, such a receive costs only two interlocked operations more.
    /// </summary>
    /// <param name="buffer">
    /// The memory for the payload. A longer payload is truncated and flagged
    /// (<see cref="ReceivedDatagram.IsTruncated"/>).
    /// </param>
    /// <param name="datagram">The length, peer and metadata of the datagram.</param>
    public ReceiveStatus ReceiveFrom(Span<byte> buffer, out ReceivedDatagram datagram) =>
        ReceiveFromCore(buffer, ForeverMilliseconds, out datagram);

    /// <summary>
    /// Receives as <see cref="ReceiveFrom(Span{byte}, out ReceivedDatagram)"/> does, but returns
    /// <see cref="ReceiveStatus.TimedOut"/> if nothing arrives within the timeout.
    /// </summary>
    /// <inheritdoc cref="ReceiveFrom(Span{byte}, out ReceivedDatagram)"/>
    public ReceiveStatus ReceiveFrom(Span<byte> buffer, TimeSpan timeout, out ReceivedDatagram datagram) =>
        ReceiveFromCore(buffer, ToMilliseconds(timeout), out datagram);

    /// <summary>
    /// Receives one datagram without waiting. Returns <see cref="ReceiveStatus.TimedOut"/> if none is queued.
    /// </summary>
    /// <inheritdoc cref="ReceiveFrom(Span{byte}, out ReceivedDatagram)"/>
    public ReceiveStatus TryReceiveFrom(Span<byte> buffer, out ReceivedDatagram datagram) =>
        ReceiveFromCore(buffer, 0, out datagram);

    /// <summary>
    /// Takes the next ICMP error, which concerns a datagram that was sent earlier. Returns false if there is none.
    /// Needs <see cref="UdpSocketOptions.IcmpErrors"/>. The socket keeps at most 256 errors and drops the oldest first.
    /// </summary>
    /// <param name="error">The error, with the peer of the datagram, if the method returns true.</param>
    public bool TryReceiveIcmpError(out UdpIcmpError error)
    {
        error = default;
        if (!_gate.TryEnter()) return false;
        try
        {
            return _context.Errors.TryTake(out error);
        }
        finally
        {
            _gate.Leave();
        }
    }

    private ReceiveStatus ReceiveCore(ReceiveBatch batch, int timeoutMilliseconds)
    {
        RequireUsable(batch);
        if (!_gate.TryEnter()) return ReceiveStatus.Closed;
        try
        {
            return ReceiveInGate(batch.Slots, timeoutMilliseconds);
        }
        finally
        {
            _gate.Leave();
        }
    }

    private ReceiveStatus ReceiveInGate(ReceiveSlots slots, int timeoutMilliseconds)
    {
        slots.Use.Enter();
        try
        {
            return _receiver.Receive(slots, timeoutMilliseconds);
        }
        finally
        {
            slots.Leave();
        }
    }

    private ReceiveStatus ReceiveFromCore(Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram)
    {
        datagram = default;
        if (!_gate.TryEnter()) return ReceiveStatus.Closed;
        try
        {
            ReceiveStatus status = _receiver.ReceiveOne(buffer, timeoutMilliseconds, out datagram);
            ShareStaged();
            return status;
        }
        finally
        {
            _gate.Leave();
        }
    }

    // If datagrams are staged, makes the awaited calls try again. Staged datagrams are those that one call took from
    // the kernel in addition to its own. Called after a call that may have staged datagrams, and after an awaited call
    // has begun to wait.
    private void ShareStaged()
    {
        if (_receiver.HasStaged) _pending.TryReceivesSoon();
    }

    private void RequireUsable(ReceiveBatch batch)
    {
        ArgumentNullException.ThrowIfNull(batch);
        if (batch.Backend != Backend || batch.SlotBytes < MaxSlotBytes) CheckBatch(batch);
    }

    private void CheckBatch(ReceiveBatch batch)
    {
        if (batch.Backend != Backend)
        {
            throw new ArgumentException(
                $"The batch was made for the {batch.Backend} backend, this socket uses {Backend}: "
                + "make one with its CreateReceiveBatch.",
                nameof(batch));
        }

        if (CoalescedReceive && batch.SlotBytes < MaxSlotBytes)
        {
            throw new ArgumentException(
                $"This socket coalesces, so slots need {MaxSlotBytes} bytes, or coalesced datagrams would be cut off: "
                + "make the batch with its CreateReceiveBatch.",
                nameof(batch));
        }
    }

    internal static int ToMilliseconds(TimeSpan timeout)
    {
        if (timeout == Timeout.InfiniteTimeSpan) return ForeverMilliseconds;
        ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.Zero);
        return (int)Math.Min(int.MaxValue, Math.Ceiling(timeout.TotalMilliseconds));
    }
}
