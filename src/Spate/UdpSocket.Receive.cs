using Spate.Buffers;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate;

/// <summary>The calls that receive.</summary>
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
        int slotBytes = options.SlotBytes ?? ReceiveBatchOptions.DefaultSlotBytes;
        if (slotCount is < 1 or > MaxSlotCount)
        {
            throw new ArgumentOutOfRangeException(nameof(options), slotCount, $"SlotCount is 1 to {MaxSlotCount}.");
        }
        if (slotBytes is < 1 or > MaxSlotBytes)
        {
            throw new ArgumentOutOfRangeException(nameof(options), slotBytes, $"SlotBytes is 1 to {MaxSlotBytes}.");
        }
        return new ReceiveBatch(
            Backend, _receiver.CreateSlots(slotCount, CoalescedReceive ? MaxSlotBytes : slotBytes));
    }

    /// <summary>
    /// Waits for datagrams and takes as many as are there, at most as many buffers as the batch has slots.
    /// </summary>
    /// <param name="batch">A batch of this backend; what it held is gone.</param>
    /// <returns><see cref="ReceiveStatus.Received"/>, or <see cref="ReceiveStatus.Closed"/> once the socket is
    /// closed.</returns>
    public ReceiveStatus Receive(ReceiveBatch batch) => ReceiveCore(batch, ForeverMilliseconds);

    /// <summary>As <see cref="Receive(ReceiveBatch)"/>, for a limited time.</summary>
    /// <param name="batch">A batch of this backend; what it held is gone.</param>
    /// <param name="timeout">
    /// The most to wait, in whole milliseconds; <see cref="Timeout.InfiniteTimeSpan"/> for ever.
    /// </param>
    public ReceiveStatus Receive(ReceiveBatch batch, TimeSpan timeout) => ReceiveCore(batch, ToMilliseconds(timeout));

    /// <summary>Takes what is there without waiting; <see cref="ReceiveStatus.TimedOut"/> where nothing is.</summary>
    /// <param name="batch">A batch of this backend; what it held is gone.</param>
    public ReceiveStatus TryReceive(ReceiveBatch batch) => ReceiveCore(batch, 0);

    /// <summary>
    /// Waits for one datagram. With <see cref="CoalescedReceive"/> and on Uring the call may take more from the system,
    /// which wait in the socket for the calls that follow, of either kind. So from the first receive of a single
    /// datagram on, batch receives that wait do so in one line with the others, at the price of a lock and of one more
    /// system call per wait; before it a batch receive that may wait costs two interlocked operations.
    /// </summary>
    /// <param name="buffer">Where its payload goes; a longer one is cut off and flagged.</param>
    /// <param name="datagram">Its length, peer and metadata.</param>
    public ReceiveStatus ReceiveFrom(Span<byte> buffer, out ReceivedDatagram datagram) =>
        ReceiveFromCore(buffer, ForeverMilliseconds, out datagram);

    /// <summary>As <see cref="ReceiveFrom(Span{byte}, out ReceivedDatagram)"/>, for a limited time.</summary>
    /// <inheritdoc cref="ReceiveFrom(Span{byte}, out ReceivedDatagram)"/>
    public ReceiveStatus ReceiveFrom(Span<byte> buffer, TimeSpan timeout, out ReceivedDatagram datagram) =>
        ReceiveFromCore(buffer, ToMilliseconds(timeout), out datagram);

    /// <summary>Takes one datagram without waiting; <see cref="ReceiveStatus.TimedOut"/> where none is there.</summary>
    /// <inheritdoc cref="ReceiveFrom(Span{byte}, out ReceivedDatagram)"/>
    public ReceiveStatus TryReceiveFrom(Span<byte> buffer, out ReceivedDatagram datagram) =>
        ReceiveFromCore(buffer, 0, out datagram);

    /// <summary>
    /// Takes datagrams at once where there are any, otherwise when some come: one await per batch, nothing allocated.
    /// </summary>
    /// <param name="batch">A batch of this backend, not to be touched until the call has ended.</param>
    /// <param name="cancellationToken">
    /// Ends the wait with <see cref="OperationCanceledException"/>; no datagram is lost by it.
    /// </param>
    public ValueTask<ReceiveStatus> ReceiveAsync(ReceiveBatch batch, CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled<ReceiveStatus>(cancellationToken);
        RequireAwaitable();
        ReceiveStatus status = ReceiveCore(batch, 0);
        if (status != ReceiveStatus.TimedOut) return new ValueTask<ReceiveStatus>(status);
        if (!_gate.TryEnter()) return new ValueTask<ReceiveStatus>(ReceiveStatus.Closed);
        try
        {
            return WaitAsync<ReceiveAttempt, ReceiveStatus>(new(this, batch), cancellationToken);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Waits until something can be received, and receives nothing: for many sockets that share a few batches. A batch
    /// that is given to <see cref="ReceiveAsync"/> is taken for as long as that waits; here one is needed only for
    /// <see cref="TryReceive"/> afterwards, which may find nothing now and then. Nothing is allocated. It always waits
    /// for an event, so call it where <see cref="TryReceive"/> has found nothing.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait with <see cref="OperationCanceledException"/>.</param>
    /// <returns><see cref="ReceiveStatus.Received"/> where a receive is worth a try, otherwise <see
    /// cref="ReceiveStatus.Closed"/>.</returns>
    /// <example><code>
    /// while (await socket.WaitReadableAsync() == ReceiveStatus.Received)
    /// {
    ///     ReceiveBatch batch = batches.Rent();
    ///     while (socket.TryReceive(batch) == ReceiveStatus.Received) Handle(batch);
    ///     batches.Return(batch);
    /// }
    /// </code></example>
    public ValueTask<ReceiveStatus> WaitReadableAsync(CancellationToken cancellationToken = default)
    {
        RequireAwaitable();
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled<ReceiveStatus>(cancellationToken);
        if (!_gate.TryEnter()) return new ValueTask<ReceiveStatus>(ReceiveStatus.Closed);
        try
        {
            return WaitAsync<ReadableAttempt, ReceiveStatus>(default, cancellationToken);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Takes one datagram at once where there is one, otherwise when one comes. Nothing is allocated, the sender's
    /// address included.
    /// </summary>
    /// <param name="buffer">
    /// Where its payload goes, not to be touched until the call has ended; a longer one is cut off and flagged.
    /// </param>
    /// <param name="cancellationToken">
    /// Ends the wait with <see cref="OperationCanceledException"/>; no datagram is lost by it.
    /// </param>
    /// <exception cref="ObjectDisposedException">The socket is closed, or was closed while the call waited.</exception>
    public ValueTask<ReceivedDatagram> ReceiveFromAsync(
        Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<ReceivedDatagram>(cancellationToken);
        }
        RequireAwaitable();
        if (!_gate.TryEnter()) return Closed();
        try
        {
            ReceiveStatus status = _receiver.ReceiveOne(buffer.Span, 0, out ReceivedDatagram datagram);
            ShareStaged();
            if (status == ReceiveStatus.Received) return new ValueTask<ReceivedDatagram>(datagram);
            if (status == ReceiveStatus.Closed) return Closed();
            return WaitAsync<ReceiveFromAttempt, ReceivedDatagram>(new(_receiver, buffer), cancellationToken);
        }
        finally
        {
            _gate.Leave();
        }
    }

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
        ArgumentNullException.ThrowIfNull(batch);
        if (batch.Backend != Backend || batch.SlotBytes < MaxSlotBytes) CheckBatch(batch);
        if (!_gate.TryEnter()) return ReceiveStatus.Closed;
        try
        {
            return ReceiveInGate(batch, timeoutMilliseconds);
        }
        finally
        {
            _gate.Leave();
        }
    }

    private ReceiveStatus ReceiveInGate(ReceiveBatch batch, int timeoutMilliseconds)
    {
        ReceiveSlots slots = batch.Slots;
        slots.Use.Enter();
        try
        {
            return _receiver.Receive(slots, timeoutMilliseconds);
        }
        finally
        {
            slots.Use.Leave();
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

    private ValueTask<TResult> WaitAsync<TAttempt, TResult>(in TAttempt attempt, CancellationToken token)
        where TAttempt : struct, IAttempt<TResult>
    {
        ValueTask<TResult> task = _pending.StartAsync<TAttempt, TResult>(attempt, token);
        ShareStaged();
        return task;
    }

    // Lets awaited calls have what one call has taken from the kernel beyond its own datagram. Called after either side
    // has changed: datagrams were staged, or a call has begun to wait.
    private void ShareStaged()
    {
        if (_receiver.HasStaged) _pending.TryReceivesSoon();
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
                $"This socket coalesces, so slots need {MaxSlotBytes} bytes, or trains would be cut off: "
                + "make the batch with its CreateReceiveBatch.",
                nameof(batch));
        }
    }

    // What goes on after an await goes on anywhere.
    private void RequireAwaitable()
    {
        if (!_receiver.Traits.NeedsOneThread) return;
        throw new InvalidOperationException(
            "The socket was opened with OneReceivingThread, so its receives cannot be awaited: "
            + "use the blocking calls on one thread, or open the socket without the option.");
    }

    internal static int ToMilliseconds(TimeSpan timeout)
    {
        if (timeout == Timeout.InfiniteTimeSpan) return ForeverMilliseconds;
        ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.Zero);
        return (int)Math.Min(int.MaxValue, Math.Ceiling(timeout.TotalMilliseconds));
    }

    private static ValueTask<ReceivedDatagram> Closed() =>
        ValueTask.FromException<ReceivedDatagram>(ClosedFault());

    private static ObjectDisposedException ClosedFault() => new(nameof(UdpSocket));

    /// <summary>Waits for a datagram into the caller's memory.</summary>
    private readonly struct ReceiveFromAttempt(Receiver receiver, Memory<byte> buffer) : IAttempt<ReceivedDatagram>
    {
        public static bool IsSend => false;

        public bool TryRun(out ReceivedDatagram result)
        {
            ReceiveStatus status = receiver.ReceiveOne(buffer.Span, timeoutMilliseconds: 0, out result);
            return status != ReceiveStatus.Closed ? status == ReceiveStatus.Received : throw ClosedFault();
        }

        public Exception? Close(out ReceivedDatagram result)
        {
            result = default;
            return ClosedFault();
        }
    }

    /// <summary>Waits for a batch.</summary>
    private readonly struct ReceiveAttempt(UdpSocket socket, ReceiveBatch batch) : IAttempt<ReceiveStatus>
    {
        public static bool IsSend => false;

        public bool TryRun(out ReceiveStatus result)
        {
            result = socket.ReceiveInGate(batch, timeoutMilliseconds: 0);
            return result != ReceiveStatus.TimedOut;
        }

        public Exception? Close(out ReceiveStatus result)
        {
            result = ReceiveStatus.Closed;
            return null;
        }
    }

    /// <summary>Waits until a receive would find something, and takes nothing.</summary>
    private readonly struct ReadableAttempt : IAttempt<ReceiveStatus>
    {
        public static bool IsSend => false;

        public bool TryRun(out ReceiveStatus result)
        {
            result = ReceiveStatus.Received;
            return true;
        }

        public Exception? Close(out ReceiveStatus result)
        {
            result = ReceiveStatus.Closed;
            return null;
        }
    }
}
