using Spate.Buffers;

namespace Spate;

// The calls that receive and block, or do not wait.
public sealed partial class UdpSocket
{
    private const int ForeverMilliseconds = -1;
    private const int MaxSlotBytes = 65_535;
    private const int MaxSlotCount = 1024;

    /// <summary>Makes a batch for this socket and others of its backend. Works on a closed socket too.</summary>
    /// <param name="options">Its shape; null for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">A shape that is not possible.</exception>
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
    /// Waits for datagrams and takes as many as are there, at most as many buffers as the batch has slots.
    /// </summary>
    /// <param name="batch">A batch of this backend; its previous datagrams are gone.</param>
    /// <returns><see cref="ReceiveStatus.Received"/>, or <see cref="ReceiveStatus.Closed"/> once the socket is
    /// closed.</returns>
    /// <exception cref="System.Net.Sockets.SocketException">
    /// Nobody listens at the peer's port, and the socket reports that
    /// (<see cref="UdpSocketOptions.ReportPortUnreachable"/>). The same applies to every other receive, awaited ones
    /// included.
    /// </exception>
    public ReceiveStatus Receive(ReceiveBatch batch) => ReceiveCore(batch, ForeverMilliseconds);

    /// <summary>As <see cref="Receive(ReceiveBatch)"/>, for a limited time.</summary>
    /// <param name="batch">A batch of this backend; its previous datagrams are gone.</param>
    /// <param name="timeout">
    /// Longest wait, in whole milliseconds; <see cref="Timeout.InfiniteTimeSpan"/> waits forever.
    /// </param>
    public ReceiveStatus Receive(ReceiveBatch batch, TimeSpan timeout) => ReceiveCore(batch, ToMilliseconds(timeout));

    /// <summary>
    /// Receives queued datagrams without waiting; <see cref="ReceiveStatus.TimedOut"/> if there are none.
    /// </summary>
    /// <param name="batch">A batch of this backend; its previous datagrams are gone.</param>
    public ReceiveStatus TryReceive(ReceiveBatch batch) => ReceiveCore(batch, 0);

    /// <summary>
    /// Waits for one datagram. With <see cref="CoalescedReceive"/> and on Uring the call may take more datagrams from
    /// the system, which wait in the socket for the next calls, of either kind. So from the first receive of a single
    /// datagram on, waiting batch receives queue in order with the others, at the price of a lock and of one more
    /// system call per wait. Before it, a batch receive that may wait costs two interlocked operations.
    /// </summary>
    /// <param name="buffer">Receives the payload; a longer payload is truncated and flagged.</param>
    /// <param name="datagram">Its length, peer and metadata.</param>
    public ReceiveStatus ReceiveFrom(Span<byte> buffer, out ReceivedDatagram datagram) =>
        ReceiveFromCore(buffer, ForeverMilliseconds, out datagram);

    /// <summary>As <see cref="ReceiveFrom(Span{byte}, out ReceivedDatagram)"/>, for a limited time.</summary>
    /// <inheritdoc cref="ReceiveFrom(Span{byte}, out ReceivedDatagram)"/>
    public ReceiveStatus ReceiveFrom(Span<byte> buffer, TimeSpan timeout, out ReceivedDatagram datagram) =>
        ReceiveFromCore(buffer, ToMilliseconds(timeout), out datagram);

    /// <summary>Receives one datagram without waiting; <see cref="ReceiveStatus.TimedOut"/> if there is none.</summary>
    /// <inheritdoc cref="ReceiveFrom(Span{byte}, out ReceivedDatagram)"/>
    public ReceiveStatus TryReceiveFrom(Span<byte> buffer, out ReceivedDatagram datagram) =>
        ReceiveFromCore(buffer, 0, out datagram);

    /// <summary>
    /// Takes the next ICMP error that came back for something sent earlier, with the peer it is about; needs
    /// <see cref="UdpSocketOptions.IcmpErrors"/>. At most 256 are kept; the oldest give way.
    /// </summary>
    /// <param name="error">The error, where true is returned.</param>
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

    // Lets awaited calls have what one call has taken from the kernel beyond its own datagram. Called after either side
    // has changed: datagrams were staged, or a call has begun to wait.
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
