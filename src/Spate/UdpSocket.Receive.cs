using System.Net.Sockets;
using Spate.Buffers;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate;

// Receives of batches, blocking, at once and awaited, and the creation of receive batches.
public sealed partial class UdpSocket
{
    private const int ForeverMilliseconds = -1;
    private const int MaxSlotBytes = 65_535;
    private const int MaxSlotCount = 1024;

    // Whether the last receive failed although the socket is readable. The next WaitReadableAsync then waits for a
    // moment instead of an event, because the usual loop of the two would spin.
    private volatile bool _mustRetryLater;

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
            throw new ArgumentOutOfRangeException(
                nameof(options), slotCount, $"SlotCount must be from 1 to {MaxSlotCount}.");
        }
        if (slotBytes is < 1 or > MaxSlotBytes)
        {
            throw new ArgumentOutOfRangeException(
                nameof(options), slotBytes, $"SlotBytes must be from 1 to {MaxSlotBytes}.");
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
    /// <exception cref="ArgumentException">
    /// The batch is not of this backend, or its slots are too short for the coalesced buffers of this socket.
    /// </exception>
    /// <exception cref="InvalidOperationException">
    /// Another call is using the batch, or the socket was opened with <see cref="UdpSocketOptions.SingleReader"/> and
    /// another thread receives from it.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
    public ReceiveStatus Receive(ReceiveBatch batch) => ToPublic(ReceiveCore(batch, ForeverMilliseconds));

    /// <summary>
    /// Receives as <see cref="Receive(ReceiveBatch)"/> does, but returns <see cref="ReceiveStatus.TimedOut"/> if
    /// nothing arrives within the timeout.
    /// </summary>
    /// <inheritdoc cref="Receive(ReceiveBatch)" path="/*[not(self::param)]"/>
    /// <param name="batch">A batch of this backend. Datagrams of its previous receive become invalid.</param>
    /// <param name="timeout">
    /// The longest wait, rounded up to whole milliseconds; <see cref="Timeout.InfiniteTimeSpan"/> waits forever.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative and not
    /// <see cref="Timeout.InfiniteTimeSpan"/>.</exception>
    public ReceiveStatus Receive(ReceiveBatch batch, TimeSpan timeout) =>
        ToPublic(ReceiveCore(batch, ToMilliseconds(timeout)));

    /// <summary>
    /// Receives the queued datagrams without waiting. Returns <see cref="ReceiveStatus.Empty"/> if none are queued.
    /// </summary>
    /// <inheritdoc cref="Receive(ReceiveBatch)" path="/*[not(self::param)]"/>
    /// <param name="batch">A batch of this backend. Datagrams of its previous receive become invalid.</param>
    public ReceiveStatus TryReceive(ReceiveBatch batch) => ToPublicOfTry(TryReceiveOrRetry(batch));

    /// <summary>
    /// Receives as <see cref="TryReceive"/> does, but returns the status of the receiver:
    /// <see cref="ReceiveStatus.TimedOut"/> if nothing is queued, and <see cref="Receiver.RetryLater"/> if no event
    /// will announce that a receive succeeds again.
    /// </summary>
    internal ReceiveStatus TryReceiveOrRetry(ReceiveBatch batch) => ReceiveCore(batch, 0);

    /// <summary>
    /// Receives a batch of datagrams: at once if some are queued, otherwise as soon as some arrive. One await per
    /// batch; nothing is allocated.
    /// </summary>
    /// <param name="batch">A batch of this backend. Do not use the batch until the call has ended.</param>
    /// <param name="cancellationToken">
    /// Cancels the wait with <see cref="OperationCanceledException"/>. No datagram is lost by this.
    /// </param>
    /// <exception cref="ArgumentException">
    /// The batch is not of this backend, or its slots are too short for the coalesced buffers of this socket.
    /// </exception>
    /// <exception cref="InvalidOperationException">
    /// Another call is using the batch, or the socket was opened with <see cref="UdpSocketOptions.SingleReader"/> so
    /// its receives cannot be awaited.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
    public ValueTask<ReceiveStatus> ReceiveAsync(ReceiveBatch batch, CancellationToken cancellationToken = default) =>
        ReceiveAsyncCore(batch, ForeverMilliseconds, cancellationToken);

    /// <summary>
    /// Receives as <see cref="ReceiveAsync(ReceiveBatch, CancellationToken)"/> does, but waits at most until the
    /// timeout. Then the call returns <see cref="ReceiveStatus.TimedOut"/>, without an exception. Nothing is allocated,
    /// and no datagram is lost.
    /// </summary>
    /// <inheritdoc cref="ReceiveAsync(ReceiveBatch, CancellationToken)" path="/*[not(self::param)]"/>
    /// <param name="batch">A batch of this backend. Do not use the batch until the call has ended.</param>
    /// <param name="timeout">
    /// The longest wait, rounded up to whole milliseconds of <see cref="UdpSocketOptions.TimeProvider"/>. Zero does not
    /// wait; <see cref="Timeout.InfiniteTimeSpan"/> waits forever.
    /// </param>
    /// <param name="cancellationToken">
    /// Cancels the wait with <see cref="OperationCanceledException"/>. No datagram is lost by this.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative and not
    /// <see cref="Timeout.InfiniteTimeSpan"/>.</exception>
    public ValueTask<ReceiveStatus> ReceiveAsync(
        ReceiveBatch batch, TimeSpan timeout, CancellationToken cancellationToken = default) =>
        ReceiveAsyncCore(batch, ToMilliseconds(timeout), cancellationToken);

    /// <summary>
    /// Takes the next ICMP error, which concerns a datagram that was sent earlier. Returns false if there is none.
    /// Needs <see cref="UdpSocketOptions.ReportIcmpErrors"/>. The socket keeps at most 256 errors and drops the oldest
    /// first.
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

    /// <summary>
    /// Switches coalesced receive on, if the socket has it: called when batches will be received, best before the first
    /// datagram comes.
    /// </summary>
    internal void BeginBatches()
    {
        if (_singles is null || !_gate.TryEnter()) return;
        try
        {
            _singles.BeginBatches();
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

    private ValueTask<ReceiveStatus> ReceiveAsyncCore(
        ReceiveBatch batch, int timeoutMilliseconds, CancellationToken token)
    {
        if (token.IsCancellationRequested) return ValueTask.FromCanceled<ReceiveStatus>(token);
        RequireAwaitable();
        RequireUsable(batch);
        if (!_gate.TryEnter()) return new ValueTask<ReceiveStatus>(ReceiveStatus.Closed);
        try
        {
            return ReceiveInGateAsync(batch.Slots, timeoutMilliseconds, token);
        }
        catch (SocketException fault) when (fault.SocketErrorCode == SocketError.ConnectionRefused)
        {
            return ValueTask.FromException<ReceiveStatus>(fault);
        }
        finally
        {
            _gate.Leave();
        }
    }

    // A call that waits has exclusive use of the batch until the call ends. ReceiveAttempt then releases the batch.
    private ValueTask<ReceiveStatus> ReceiveInGateAsync(
        ReceiveSlots slots, int timeoutMilliseconds, CancellationToken token)
    {
        slots.Use.Enter();
        bool waits = false;
        try
        {
            ReceiveStatus status = TakeBatch(slots, timeoutMilliseconds: 0);
            waits = Receiver.IsEmpty(status) && timeoutMilliseconds != 0;
            return waits
                ? WaitAsync<ReceiveAttempt, ReceiveStatus>(
                    new(this, slots), AttemptOf(status), timeoutMilliseconds, token)
                : new ValueTask<ReceiveStatus>(ToPublic(status));
        }
        finally
        {
            if (!waits) slots.Leave();
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
            if (Interlocked.Decrement(ref _singles.KernelWaitCount) == 0 && !_singles.IsDirect) _singles.WakeNext();
        }

        return _singles.ReceiveBatch(slots, timeoutMilliseconds);
    }

    private ReceiveStatus ToPublic(ReceiveStatus status)
    {
        if (status != Receiver.RetryLater) return status;
        _mustRetryLater = true;
        return ReceiveStatus.TimedOut;
    }

    // A receiver reports both an empty socket and the end of the timeout as TimedOut. The public status separates the
    // two, and this test is on the way of an empty socket only.
    private ReceiveStatus ToPublicOfTry(ReceiveStatus status)
    {
        if (status == ReceiveStatus.Received) return status;
        return ToPublic(status) == ReceiveStatus.Closed ? ReceiveStatus.Closed : ReceiveStatus.Empty;
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
        OptionChecks.RequireTimeout(timeout, nameof(timeout));
        if (timeout == Timeout.InfiniteTimeSpan) return ForeverMilliseconds;
        return (int)Math.Min(int.MaxValue, Math.Ceiling(timeout.TotalMilliseconds));
    }

    /// <summary>
    /// An awaited call that receives into a batch. The call has exclusive use of the batch until the call ends.
    /// </summary>
    private readonly struct ReceiveAttempt(UdpSocket socket, ReceiveSlots slots) : IAttempt<ReceiveStatus>
    {
        public static bool IsSend => false;

        public AttemptStatus TryRun(out ReceiveStatus result)
        {
            // Throws if the batch was disposed, because nobody could read the received datagrams. The datagrams stay in
            // the socket for the next call.
            slots.Use.RequireNotEnding();
            result = socket.TakeBatch(slots, timeoutMilliseconds: 0);
            return AttemptOf(result);
        }

        public Exception? Close(out ReceiveStatus result)
        {
            result = ReceiveStatus.Closed;
            return null;
        }

        public ReceiveStatus TimeOut() => ReceiveStatus.TimedOut;

        public OperationCanceledException Cancel(CancellationToken token) => new(token);

        public void End() => slots.Leave();
    }
}
