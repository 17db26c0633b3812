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
    /// on a closed socket. With <see cref="CoalescedReceive"/> it switches coalescing on for this socket, as the first
    /// receive of a batch does on others, so that nothing has to be switched between the two.
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
        BeginBatches();
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
    /// Waits for one datagram and receives it. On a socket with <see cref="CoalescedReceive"/> that has had a batch,
    /// and on Uring, the call may take more datagrams from the system. The extra datagrams stay in the socket for the
    /// next receives, of single datagrams or of batches. There, the first receive of a single datagram changes how all
    /// later receives wait: one of them in the system, the others for that one. A batch receive then costs a lock more.
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
            return TakeBatch(slots, timeoutMilliseconds);
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
            ReceiveStatus status = TakeOne(buffer, timeoutMilliseconds, out datagram);
            ShareStaged();
            return status;
        }
        finally
        {
            _gate.Leave();
        }
    }

    // Receives into a batch that this call has exclusive use of. Without single receives it is one call of the backend,
    // counted while it may wait there: a single receive must know of it.
    private ReceiveStatus TakeBatch(ReceiveSlots slots, int timeoutMilliseconds)
    {
        if (_singles is null) return _receiver.Receive(slots, timeoutMilliseconds);
        if (!_singles.CanTakeSeveral) _singles.BeginBatches();
        if (!_singles.IsDirect) return _singles.ReceiveBatch(slots, timeoutMilliseconds);
        if (timeoutMilliseconds == 0) return _receiver.Receive(slots, timeoutMilliseconds: 0);
        Interlocked.Increment(ref _singles.KernelWaitCount);
        try
        {
            if (_singles.IsDirect) return _receiver.Receive(slots, timeoutMilliseconds);
        }
        finally
        {
            if (Interlocked.Decrement(ref _singles.KernelWaitCount) == 0 && !_singles.IsDirect) _singles.WakeAll();
        }

        return _singles.ReceiveBatch(slots, timeoutMilliseconds);
    }

    // Receives one datagram. Without batches the lock is all that SingleReceiver adds to a call that does not wait.
    private ReceiveStatus TakeOne(Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram)
    {
        if (_singles is null) return _receiver.ReceiveOne(buffer, timeoutMilliseconds, out datagram);
        if (timeoutMilliseconds == 0 && !_singles.CanTakeSeveral)
        {
            lock (_singles.SyncRoot)
            {
                if (!_singles.CanTakeSeveral) return _receiver.ReceiveOne(buffer, 0, out datagram);
            }
        }

        return _singles.ReceiveOne(buffer, timeoutMilliseconds, out datagram);
    }

    // If datagrams are staged, makes the awaited calls try again. Staged datagrams are those that one call took from
    // the kernel in addition to its own. Called after a call that may have staged datagrams, and after an awaited call
    // has begun to wait.
    private void ShareStaged()
    {
        if (_singles is { HasStaged: true } || _context.IsPortUnreachable) _pending.TryReceivesSoon();
    }

    /// <summary>
    /// Switches coalesced receive on, if the socket has it: called when batches will be received, best before the first
    /// datagram comes.
    /// </summary>
    internal void BeginBatches()
    {
        if (_singles is null || !_gate.TryEnter()) return;
        _singles.BeginBatches();
        _gate.Leave();
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
