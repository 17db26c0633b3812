using System.Net.Sockets;
using Spate.Buffers;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate;

// Receives that are awaited.
public sealed partial class UdpSocket
{
    /// <summary>
    /// Receives a batch of datagrams: at once if some are queued, otherwise as soon as some arrive. One await per
    /// batch; nothing is allocated.
    /// </summary>
    /// <param name="batch">A batch of this backend. Do not use the batch until the call has ended.</param>
    /// <param name="cancellationToken">
    /// Cancels the wait with <see cref="OperationCanceledException"/>. No datagram is lost by this.
    /// </param>
    public ValueTask<ReceiveStatus> ReceiveAsync(ReceiveBatch batch, CancellationToken cancellationToken = default) =>
        ReceiveAsyncCore(batch, ForeverMilliseconds, cancellationToken);

    /// <summary>
    /// Receives as <see cref="ReceiveAsync(ReceiveBatch, CancellationToken)"/> does, but waits at most until the
    /// timeout. Then the call returns <see cref="ReceiveStatus.TimedOut"/>, without an exception. Nothing is allocated,
    /// and no datagram is lost.
    /// </summary>
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
    /// Waits until something can be received, but receives nothing. Use this call if many sockets share a few batches:
    /// an awaited <see cref="ReceiveAsync(ReceiveBatch, CancellationToken)"/> occupies its batch while it waits. After
    /// this call, call <see cref="TryReceive"/> with any free batch; <see cref="TryReceive"/> sometimes finds nothing.
    /// Nothing is allocated. Even if datagrams are queued, this call waits for an event that reports them. So use it
    /// only after <see cref="TryReceive"/> has found nothing.
    /// </summary>
    /// <param name="cancellationToken">Cancels the wait with <see cref="OperationCanceledException"/>.</param>
    /// <returns><see cref="ReceiveStatus.Received"/> if a receive probably finds something, otherwise
    /// <see cref="ReceiveStatus.Closed"/>.</returns>
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
            return WaitAsync<ReadableAttempt, ReceiveStatus>(default, ForeverMilliseconds, cancellationToken);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>
    /// Receives one datagram: at once if one is queued, otherwise as soon as one arrives. Nothing is allocated, not
    /// even for the sender's address.
    /// </summary>
    /// <param name="buffer">
    /// The memory for the payload. Do not use the memory until the call has ended. A longer payload is truncated and
    /// flagged (<see cref="ReceivedDatagram.IsTruncated"/>).
    /// </param>
    /// <param name="cancellationToken">
    /// Cancels the wait with <see cref="OperationCanceledException"/>. No datagram is lost by this.
    /// </param>
    /// <exception cref="ObjectDisposedException">The socket is closed, or was closed while the call waited.</exception>
    public ValueTask<ReceivedDatagram> ReceiveFromAsync(
        Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        ReceiveFromAsyncCore(buffer, ForeverMilliseconds, throwsClosed: true, cancellationToken);

    /// <summary>
    /// Receives as <see cref="ReceiveFromAsync(Memory{byte}, CancellationToken)"/> does, but waits at most until the
    /// timeout. The call throws nothing at the timeout or for a closed socket: check the
    /// <see cref="ReceivedDatagram.Status"/> of the result. The status is <see cref="ReceiveStatus.Received"/>,
    /// <see cref="ReceiveStatus.TimedOut"/> or <see cref="ReceiveStatus.Closed"/>. Nothing is allocated, and no
    /// datagram is lost.
    /// </summary>
    /// <param name="buffer">
    /// The memory for the payload. Do not use the memory until the call has ended. A longer payload is truncated and
    /// flagged (<see cref="ReceivedDatagram.IsTruncated"/>).
    /// </param>
    /// <param name="timeout">
    /// The longest wait, rounded up to whole milliseconds of <see cref="UdpSocketOptions.TimeProvider"/>. Zero does not
    /// wait; <see cref="Timeout.InfiniteTimeSpan"/> waits forever.
    /// </param>
    /// <param name="cancellationToken">
    /// Cancels the wait with <see cref="OperationCanceledException"/>. No datagram is lost by this.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative and not
    /// <see cref="Timeout.InfiniteTimeSpan"/>.</exception>
    public ValueTask<ReceivedDatagram> ReceiveFromAsync(
        Memory<byte> buffer, TimeSpan timeout, CancellationToken cancellationToken = default) =>
        ReceiveFromAsyncCore(buffer, ToMilliseconds(timeout), throwsClosed: false, cancellationToken);

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
            waits = status == ReceiveStatus.TimedOut && timeoutMilliseconds != 0;
            return waits
                ? WaitAsync<ReceiveAttempt, ReceiveStatus>(new(this, slots), timeoutMilliseconds, token)
                : new ValueTask<ReceiveStatus>(status);
        }
        finally
        {
            if (!waits) slots.Leave();
        }
    }

    private ValueTask<ReceivedDatagram> ReceiveFromAsyncCore(
        Memory<byte> buffer, int timeoutMilliseconds, bool throwsClosed, CancellationToken token)
    {
        if (token.IsCancellationRequested) return ValueTask.FromCanceled<ReceivedDatagram>(token);
        RequireAwaitable();
        if (!_gate.TryEnter()) return Closed(throwsClosed);
        try
        {
            ReceiveStatus status = TakeOne(buffer.Span, 0, out ReceivedDatagram datagram);
            ShareStaged();
            if (status == ReceiveStatus.Received) return new ValueTask<ReceivedDatagram>(datagram);
            if (status == ReceiveStatus.Closed) return Closed(throwsClosed);
            if (timeoutMilliseconds == 0) return new ValueTask<ReceivedDatagram>(ReceivedDatagram.OfNone(status));
            return WaitAsync<ReceiveFromAttempt, ReceivedDatagram>(
                new(this, buffer, throwsClosed), timeoutMilliseconds, token);
        }
        catch (SocketException fault) when (fault.SocketErrorCode == SocketError.ConnectionRefused)
        {
            return ValueTask.FromException<ReceivedDatagram>(fault);
        }
        finally
        {
            _gate.Leave();
        }
    }

    private ValueTask<TResult> WaitAsync<TAttempt, TResult>(
        in TAttempt attempt, int timeoutMilliseconds, CancellationToken token)
        where TAttempt : struct, IAttempt<TResult>
    {
        ValueTask<TResult> task = _pending.StartAsync<TAttempt, TResult>(attempt, timeoutMilliseconds, token);
        ShareStaged();
        return task;
    }

    // Throws if only one thread is allowed to receive, because after an await a method may continue on any thread.
    private void RequireAwaitable()
    {
        if (!_receiver.Traits.NeedsOneThread) return;
        throw new InvalidOperationException(
            "The socket was opened with OneReceivingThread, so its receives cannot be awaited: "
            + "use the blocking calls on one thread, or open the socket without the option.");
    }

    private static ValueTask<ReceivedDatagram> Closed(bool throwsClosed) => throwsClosed
        ? ValueTask.FromException<ReceivedDatagram>(ClosedFault())
        : new ValueTask<ReceivedDatagram>(ReceivedDatagram.OfNone(ReceiveStatus.Closed));

    private static ObjectDisposedException ClosedFault() => new(nameof(UdpSocket));

    /// <summary>An awaited call that receives one datagram into the caller's memory.</summary>
    private readonly struct ReceiveFromAttempt(UdpSocket socket, Memory<byte> buffer, bool throwsClosed)
        : IAttempt<ReceivedDatagram>
    {
        public static bool IsSend => false;

        public static ReceivedDatagram TimedOut() => ReceivedDatagram.OfNone(ReceiveStatus.TimedOut);

        public bool TryRun(out ReceivedDatagram result)
        {
            ReceiveStatus status = socket.TakeOne(buffer.Span, timeoutMilliseconds: 0, out result);
            if (status != ReceiveStatus.Closed) return status == ReceiveStatus.Received;
            return Close(out result) is { } fault ? throw fault : true;
        }

        public Exception? Close(out ReceivedDatagram result)
        {
            result = throwsClosed ? default : ReceivedDatagram.OfNone(ReceiveStatus.Closed);
            return throwsClosed ? ClosedFault() : null;
        }

        public void End()
        {
        }
    }

    /// <summary>
    /// An awaited call that receives into a batch. The call has exclusive use of the batch until the call ends.
    /// </summary>
    private readonly struct ReceiveAttempt(UdpSocket socket, ReceiveSlots slots) : IAttempt<ReceiveStatus>
    {
        public static bool IsSend => false;

        public static ReceiveStatus TimedOut() => ReceiveStatus.TimedOut;

        public bool TryRun(out ReceiveStatus result)
        {
            // Throws if the batch was disposed, because nobody could read the received datagrams. The datagrams stay in
            // the socket for the next call.
            slots.Use.RequireNotEnding();
            result = socket.TakeBatch(slots, timeoutMilliseconds: 0);
            return result != ReceiveStatus.TimedOut;
        }

        public Exception? Close(out ReceiveStatus result)
        {
            result = ReceiveStatus.Closed;
            return null;
        }

        public void End() => slots.Leave();
    }

    /// <summary>An awaited call that waits until the socket can be read, but receives nothing.</summary>
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

        public void End()
        {
        }
    }
}
