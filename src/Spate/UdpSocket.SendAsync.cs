using System.Net.Sockets;
using Spate.Buffers;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate;

// Awaited sends.
public sealed partial class UdpSocket
{
    /// <summary>
    /// Sends the batch, and waits without blocking while the send buffer is full. Nothing is allocated. Awaited calls
    /// send in the order in which they were made.
    /// </summary>
    /// <param name="batch">A batch of this backend. Do not use the batch until the call has ended.</param>
    /// <param name="cancellationToken">
    /// Cancels the wait with <see cref="SendCanceledException"/>, whose <see cref="SendCanceledException.Result"/> has
    /// the numbers of datagrams that this call sent and refused. Datagrams that are still to be sent stay in the batch,
    /// in order.
    /// </param>
    /// <exception cref="ArgumentException">
    /// The batch was made by a socket that does not send as this one does: it has another backend.
    /// </exception>
    /// <exception cref="InvalidOperationException">
    /// Another call is using the batch, or a datagram has a <see cref="SendControl.TransmitTimeMonotonicNanoseconds"/>
    /// and the socket was opened without <see cref="UdpSocketOptions.EnableTransmitTimes"/>.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
    /// <exception cref="PlatformNotSupportedException">
    /// A datagram has a <see cref="SendControl"/> that the backend cannot apply. The datagrams stay in the batch:
    /// clear it.
    /// </exception>
    public ValueTask<SendResult> SendAsync(SendBatch batch, CancellationToken cancellationToken = default) =>
        SendAsyncCore(batch, ForeverMilliseconds, cancellationToken);

    /// <summary>
    /// Sends as <see cref="SendAsync(SendBatch, CancellationToken)"/> does, but waits at most until the timeout. Then
    /// the call returns <see cref="SendStatus.TimedOut"/> without an exception, or <see cref="SendStatus.NoBuffers"/>
    /// after ENOBUFS. Datagrams that are still to be sent at the timeout stay in the batch, in order. Nothing is
    /// allocated.
    /// </summary>
    /// <inheritdoc cref="SendAsync(SendBatch, CancellationToken)" path="/*[not(self::param)]"/>
    /// <param name="batch">A batch of this backend. Do not use the batch until the call has ended.</param>
    /// <param name="timeout">
    /// The longest wait, rounded up to whole milliseconds of <see cref="UdpSocketOptions.TimeProvider"/>. Zero does not
    /// wait; <see cref="Timeout.InfiniteTimeSpan"/> waits forever.
    /// </param>
    /// <param name="cancellationToken">
    /// Cancels the wait with <see cref="SendCanceledException"/>, whose <see cref="SendCanceledException.Result"/> has
    /// the numbers of datagrams that this call sent and refused.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative and not
    /// <see cref="Timeout.InfiniteTimeSpan"/>.</exception>
    public ValueTask<SendResult> SendAsync(
        SendBatch batch, TimeSpan timeout, CancellationToken cancellationToken = default) =>
        SendAsyncCore(batch, ToMilliseconds(timeout), cancellationToken);

    /// <summary>
    /// Sends one datagram: at once if the send buffer has room, otherwise as soon as it has room. Nothing is allocated.
    /// </summary>
    /// <param name="payload">The payload. Do not change it until the call has ended.</param>
    /// <param name="peer">The destination; on a connected socket, the connected peer or <c>default</c>.</param>
    /// <param name="cancellationToken">
    /// Cancels the wait with <see cref="OperationCanceledException"/>. The datagram is then not sent.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The payload is longer than 65,527 bytes.</exception>
    public ValueTask<SendResult> SendToAsync(
        ReadOnlyMemory<byte> payload, UdpEndPoint peer, CancellationToken cancellationToken = default) =>
        SendToAsyncCore(payload, peer, ForeverMilliseconds, cancellationToken);

    /// <summary>
    /// Sends as <see cref="SendToAsync(ReadOnlyMemory{byte}, UdpEndPoint, CancellationToken)"/> does, but waits at most
    /// until the timeout. Then the datagram is not sent, and the call returns <see cref="SendStatus.TimedOut"/> without
    /// an exception, or <see cref="SendStatus.NoBuffers"/> after ENOBUFS. Nothing is allocated.
    /// </summary>
    /// <param name="payload">The payload. Do not change it until the call has ended.</param>
    /// <param name="peer">The destination; on a connected socket, the connected peer or <c>default</c>.</param>
    /// <param name="timeout">
    /// The longest wait, rounded up to whole milliseconds of <see cref="UdpSocketOptions.TimeProvider"/>. Zero does not
    /// wait; <see cref="Timeout.InfiniteTimeSpan"/> waits forever.
    /// </param>
    /// <param name="cancellationToken">
    /// Cancels the wait with <see cref="OperationCanceledException"/>. The datagram is then not sent.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The payload is longer than 65,527 bytes, or the timeout is negative and not
    /// <see cref="Timeout.InfiniteTimeSpan"/>.
    /// </exception>
    public ValueTask<SendResult> SendToAsync(
        ReadOnlyMemory<byte> payload, UdpEndPoint peer, TimeSpan timeout,
        CancellationToken cancellationToken = default) =>
        SendToAsyncCore(payload, peer, ToMilliseconds(timeout), cancellationToken);

    /// <summary>
    /// Sends one datagram to the connected peer, as
    /// <see cref="SendToAsync(ReadOnlyMemory{byte}, UdpEndPoint, CancellationToken)"/> does.
    /// </summary>
    /// <param name="payload">The payload. Do not change it until the call has ended.</param>
    /// <param name="cancellationToken">
    /// Cancels the wait with <see cref="OperationCanceledException"/>. The datagram is then not sent.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The payload is longer than 65,527 bytes.</exception>
    public ValueTask<SendResult> SendAsync(
        ReadOnlyMemory<byte> payload, CancellationToken cancellationToken = default) =>
        SendToAsyncCore(payload, default, ForeverMilliseconds, cancellationToken);

    /// <summary>
    /// Sends one datagram to the connected peer and waits at most until the timeout, as
    /// <see cref="SendToAsync(ReadOnlyMemory{byte}, UdpEndPoint, TimeSpan, CancellationToken)"/> does.
    /// </summary>
    /// <inheritdoc cref="SendToAsync(ReadOnlyMemory{byte}, UdpEndPoint, TimeSpan, CancellationToken)"/>
    public ValueTask<SendResult> SendAsync(
        ReadOnlyMemory<byte> payload, TimeSpan timeout, CancellationToken cancellationToken = default) =>
        SendToAsyncCore(payload, default, ToMilliseconds(timeout), cancellationToken);

    // While the send buffer is full, an awaited send waits for an event. No event announces the end of ENOBUFS.
    private static AttemptStatus AttemptOf(in SendResult result) => result.Status switch
    {
        SendStatus.TimedOut => AttemptStatus.Waits,
        SendStatus.NoBuffers => AttemptStatus.RetriesLater,
        _ => AttemptStatus.Ended,
    };

    private static SendResult Untried(int count) => new(0, 0, count, SocketError.Success, SendStatus.TimedOut);

    private ValueTask<SendResult> SendAsyncCore(SendBatch batch, int timeoutMilliseconds, CancellationToken token)
    {
        RequireUsable(batch);
        if (token.IsCancellationRequested) return CanceledAsync(Untried(batch.Count), token);
        if (!_gate.TryEnter())
        {
            return new ValueTask<SendResult>(Untried(batch.Count) with { Status = SendStatus.Closed });
        }

        try
        {
            return SendInGateAsync(batch.Queue, timeoutMilliseconds, token);
        }
        finally
        {
            _gate.Leave();
        }
    }

    // An async method, because ValueTask.FromException would return a faulted task instead of a cancelled one.
    private static async ValueTask<SendResult> CanceledAsync(SendResult untried, CancellationToken token)
    {
        await Task.CompletedTask.ConfigureAwait(false);
        throw new SendCanceledException(untried with { Status = SendStatus.None }, token);
    }

    // A call that waits has exclusive use of the batch until the call ends. SendAttempt then releases the batch.
    private ValueTask<SendResult> SendInGateAsync(SendQueue queue, int timeoutMilliseconds, CancellationToken token)
    {
        queue.Use.Enter();
        bool waits = false;
        try
        {
            // TryReserve has a fast path that adds datagrams without a check for exclusive use. A send ends this fast
            // path. If earlier sends still wait, this batch is not sent yet, so Settle ends the fast path.
            bool isTried = !_pending.HasSends;
            if (!isTried) queue.Plan.Settle();
            SendResult result = isTried ? _sender.Send(queue, timeoutMilliseconds: 0) : Untried(queue.Plan.Count);
            AttemptStatus last = AttemptOf(result);
            waits = last != AttemptStatus.Ended && timeoutMilliseconds != 0;
            return waits
                ? _pending.StartAsync<SendAttempt, SendResult>(
                    new(_sender, queue, result), last, timeoutMilliseconds, token)
                : new ValueTask<SendResult>(result);
        }
        finally
        {
            if (!waits) queue.Leave();
        }
    }

    private ValueTask<SendResult> SendToAsyncCore(
        ReadOnlyMemory<byte> payload, in UdpEndPoint peer, int timeoutMilliseconds, CancellationToken token)
    {
        RequireUsable(payload.Span);
        if (token.IsCancellationRequested) return ValueTask.FromCanceled<SendResult>(token);
        SendResult result = _pending.HasSends ? Untried(1) : SendToCore(payload.Span, peer, 0);
        AttemptStatus last = AttemptOf(result);
        if (last == AttemptStatus.Ended || timeoutMilliseconds == 0) return new ValueTask<SendResult>(result);
        if (!_gate.TryEnter()) return new ValueTask<SendResult>(result with { Status = SendStatus.Closed });
        try
        {
            return _pending.StartAsync<SendToAttempt, SendResult>(
                new(_sender, payload, peer, result), last, timeoutMilliseconds, token);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>An awaited call that sends one datagram.</summary>
    private struct SendToAttempt(
        Sender sender, ReadOnlyMemory<byte> payload, in UdpEndPoint peer, SendResult last) : IAttempt<SendResult>
    {
        private readonly UdpEndPoint _peer = peer;
        private SendResult _last = last;

        public static bool IsSend => true;

        public AttemptStatus TryRun(out SendResult result)
        {
            result = _last = sender.SendOne(payload.Span, _peer, timeoutMilliseconds: 0);
            return AttemptOf(result);
        }

        public readonly Exception? Close(out SendResult result)
        {
            result = _last with { Status = SendStatus.Closed };
            return null;
        }

        public readonly SendResult TimeOut() => _last;

        public readonly OperationCanceledException Cancel(CancellationToken token) => new(token);

        public readonly void End()
        {
        }
    }

    /// <summary>
    /// An awaited call that sends a batch and adds up the results of its attempts. The call has exclusive use of the
    /// batch until the call ends.
    /// </summary>
    private struct SendAttempt(Sender sender, SendQueue queue, SendResult soFar) : IAttempt<SendResult>
    {
        private SendResult _soFar = soFar;

        public static bool IsSend => true;

        public AttemptStatus TryRun(out SendResult result)
        {
            SendResult next = sender.Send(queue, timeoutMilliseconds: 0);
            result = _soFar = next with
            {
                Sent = _soFar.Sent + next.Sent,
                Refused = _soFar.Refused + next.Refused,
                FirstError = _soFar.FirstError != SocketError.Success ? _soFar.FirstError : next.FirstError,
            };
            return AttemptOf(result);
        }

        public readonly Exception? Close(out SendResult result)
        {
            result = _soFar with { Status = SendStatus.Closed };
            return null;
        }

        // The last attempt has set the status: TimedOut while the send buffer is full, NoBuffers after ENOBUFS.
        public readonly SendResult TimeOut() => _soFar;

        public readonly OperationCanceledException Cancel(CancellationToken token) =>
            new SendCanceledException(ToPublicOfTry(_soFar), token);

        public readonly void End() => queue.Leave();
    }
}
