using System.Net.Sockets;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate;

// Receives of single datagrams, blocking, at once and awaited, and the waits that all awaited receives share.
public sealed partial class UdpSocket
{
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
    /// <param name="datagram">
    /// The length, peer and metadata of the datagram. Its <see cref="ReceivedDatagram.Status"/> is the returned status.
    /// </param>
    /// <returns><see cref="ReceiveStatus.Received"/>, or <see cref="ReceiveStatus.Closed"/> once the socket is
    /// closed.</returns>
    /// <exception cref="InvalidOperationException">
    /// The socket was opened with <see cref="UdpSocketOptions.SingleReader"/>, and another thread receives from it.
    /// </exception>
    /// <exception cref="SocketException">
    /// Nobody listens at the peer's port, and the socket reports that
    /// (<see cref="UdpSocketOptions.ReportPortUnreachable"/>).
    /// </exception>
    public ReceiveStatus ReceiveFrom(Span<byte> buffer, out ReceivedDatagram datagram) =>
        Told(ToPublic(ReceiveFromCore(buffer, ForeverMilliseconds, out datagram)), ref datagram);

    /// <summary>
    /// Receives as <see cref="ReceiveFrom(Span{byte}, out ReceivedDatagram)"/> does, but returns
    /// <see cref="ReceiveStatus.TimedOut"/> if nothing arrives within the timeout.
    /// </summary>
    /// <inheritdoc cref="ReceiveFrom(Span{byte}, out ReceivedDatagram)"/>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative and not
    /// <see cref="Timeout.InfiniteTimeSpan"/>.</exception>
    public ReceiveStatus ReceiveFrom(Span<byte> buffer, TimeSpan timeout, out ReceivedDatagram datagram) =>
        Told(ToPublic(ReceiveFromCore(buffer, ToMilliseconds(timeout), out datagram)), ref datagram);

    /// <summary>
    /// Receives one datagram without waiting. Returns <see cref="ReceiveStatus.Empty"/> if none is queued.
    /// </summary>
    /// <inheritdoc cref="ReceiveFrom(Span{byte}, out ReceivedDatagram)"/>
    public ReceiveStatus TryReceiveFrom(Span<byte> buffer, out ReceivedDatagram datagram) =>
        Told(ToPublicOfTry(ReceiveFromCore(buffer, 0, out datagram)), ref datagram);

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
    /// <exception cref="InvalidOperationException">
    /// The socket was opened with <see cref="UdpSocketOptions.SingleReader"/>, so its receives cannot be awaited.
    /// </exception>
    /// <exception cref="SocketException">
    /// Nobody listens at the peer's port, and the socket reports that
    /// (<see cref="UdpSocketOptions.ReportPortUnreachable"/>).
    /// </exception>
    public ValueTask<ReceivedDatagram> ReceiveFromAsync(
        Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        ReceiveFromAsyncCore(buffer, ForeverMilliseconds, cancellationToken);

    /// <summary>
    /// Receives as <see cref="ReceiveFromAsync(Memory{byte}, CancellationToken)"/> does, but waits at most until the
    /// timeout. The timeout is not an exception: check the <see cref="ReceivedDatagram.Status"/> of the result, which
    /// is <see cref="ReceiveStatus.Received"/> or <see cref="ReceiveStatus.TimedOut"/>. Nothing is allocated, and no
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
    /// <exception cref="ObjectDisposedException">The socket is closed, or was closed while the call waited.</exception>
    /// <exception cref="InvalidOperationException">
    /// The socket was opened with <see cref="UdpSocketOptions.SingleReader"/>, so its receives cannot be awaited.
    /// </exception>
    /// <exception cref="SocketException">
    /// Nobody listens at the peer's port, and the socket reports that
    /// (<see cref="UdpSocketOptions.ReportPortUnreachable"/>).
    /// </exception>
    public ValueTask<ReceivedDatagram> ReceiveFromAsync(
        Memory<byte> buffer, TimeSpan timeout, CancellationToken cancellationToken = default) =>
        ReceiveFromAsyncCore(buffer, ToMilliseconds(timeout), cancellationToken);

    // Without a datagram, the value has the status that the call returns.
    private static ReceiveStatus Told(ReceiveStatus status, ref ReceivedDatagram datagram)
    {
        if (status != ReceiveStatus.Received) datagram = ReceivedDatagram.OfNone(status);
        return status;
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

    private ValueTask<ReceivedDatagram> ReceiveFromAsyncCore(
        Memory<byte> buffer, int timeoutMilliseconds, CancellationToken token)
    {
        if (token.IsCancellationRequested) return ValueTask.FromCanceled<ReceivedDatagram>(token);
        RequireAwaitable();
        if (!_gate.TryEnter()) return ValueTask.FromException<ReceivedDatagram>(ClosedFault());
        try
        {
            ReceiveStatus status = TakeOne(buffer.Span, 0, out ReceivedDatagram datagram);
            ShareStaged();
            if (status == ReceiveStatus.Received) return new ValueTask<ReceivedDatagram>(datagram);
            if (status == ReceiveStatus.Closed) return ValueTask.FromException<ReceivedDatagram>(ClosedFault());
            if (timeoutMilliseconds == 0)
            {
                return new ValueTask<ReceivedDatagram>(ReceivedDatagram.OfNone(ToPublic(status)));
            }

            return WaitAsync<ReceiveFromAttempt, ReceivedDatagram>(
                new(this, buffer), AttemptOf(status), timeoutMilliseconds, token);
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

    private ValueTask<TResult> WaitAsync<TAttempt, TResult>(
        in TAttempt attempt, AttemptStatus last, int timeoutMilliseconds, CancellationToken token)
        where TAttempt : struct, IAttempt<TResult>
    {
        ValueTask<TResult> task = _pending.StartAsync<TAttempt, TResult>(attempt, last, timeoutMilliseconds, token);
        ShareStaged();
        return task;
    }

    private static AttemptStatus AttemptOf(ReceiveStatus status) => status switch
    {
        ReceiveStatus.TimedOut => AttemptStatus.Waits,
        Receiver.RetryLater => AttemptStatus.RetriesLater,
        _ => AttemptStatus.Ended,
    };

    // Throws if only one thread is allowed to receive, because after an await a method may continue on any thread.
    private void RequireAwaitable()
    {
        if (!_receiver.Traits.NeedsOneThread) return;
        throw new InvalidOperationException(
            "The socket was opened with SingleReader, so its receives cannot be awaited: "
            + "use the blocking calls on one thread, or open the socket without the option.");
    }

    private static ObjectDisposedException ClosedFault() => new(nameof(UdpSocket));

    /// <summary>An awaited call that receives one datagram into the caller's memory.</summary>
    private readonly struct ReceiveFromAttempt(UdpSocket socket, Memory<byte> buffer) : IAttempt<ReceivedDatagram>
    {
        public static bool IsSend => false;

        public AttemptStatus TryRun(out ReceivedDatagram result)
        {
            ReceiveStatus status = socket.TakeOne(buffer.Span, timeoutMilliseconds: 0, out result);
            if (status == ReceiveStatus.Closed) throw ClosedFault();
            return AttemptOf(status);
        }

        public Exception? Close(out ReceivedDatagram result)
        {
            result = default;
            return ClosedFault();
        }

        public ReceivedDatagram TimeOut() => ReceivedDatagram.OfNone(ReceiveStatus.TimedOut);

        public OperationCanceledException Cancel(CancellationToken token) => new(token);

        public void End()
        {
        }
    }
}
