using System.Net.Sockets;
using Spate.Buffers;
using Spate.Sockets;

namespace Spate;

// Sends, blocking and at once, and the creation of send batches.
public sealed partial class UdpSocket
{
    private const int SendCapacityDefault = 256;
    private const int MaxSendCapacity = 65_536;
    private const int SendBufferBytesDefault = 128 * 1024;
    private const int MaxSendBufferBytes = 1 << 30;

    /// <summary>
    /// Creates a batch for this socket; other sockets of the same backend can use it too. The method also works
    /// on a closed socket.
    /// </summary>
    /// <param name="options">The capacity and the memory of the batch; null for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">The capacity or the memory is out of range.</exception>
    public SendBatch CreateSendBatch(SendBatchOptions? options = null)
    {
        options ??= new SendBatchOptions();
        int capacity = options.Capacity ?? SendCapacityDefault;
        int bufferBytes = options.BufferBytes ?? SendBufferBytesDefault;
        if (capacity is < 1 or > MaxSendCapacity)
        {
            throw new ArgumentOutOfRangeException(
                nameof(options), capacity, $"Capacity must be from 1 to {MaxSendCapacity}.");
        }
        if (bufferBytes is < SendBatch.MaxPayloadBytes or > MaxSendBufferBytes)
        {
            throw new ArgumentOutOfRangeException(
                nameof(options),
                bufferBytes,
                $"BufferBytes must be from {SendBatch.MaxPayloadBytes} (one datagram of any length) to "
                + $"{MaxSendBufferBytes}.");
        }

        SendQueue queue = _sender.CreateQueue(capacity, bufferBytes);
        queue.KeepOldBytes = options.KeepOldBytes;
        return new SendBatch(queue);
    }

    /// <summary>
    /// Sends the batch; waits while the send buffer is full. When the call returns, the batch is empty, unless the
    /// socket was closed.
    /// </summary>
    /// <param name="batch">A batch of this backend.</param>
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
    public SendResult Send(SendBatch batch) => SendCore(batch, ForeverMilliseconds);

    /// <summary>
    /// Sends as <see cref="Send(SendBatch)"/> does, but waits at most until the timeout. Datagrams that are still to be
    /// sent at the timeout stay in the batch, in order.
    /// </summary>
    /// <inheritdoc cref="Send(SendBatch)" path="/*[not(self::param)]"/>
    /// <param name="batch">A batch of this backend.</param>
    /// <param name="timeout">
    /// The longest wait, rounded up to whole milliseconds; <see cref="Timeout.InfiniteTimeSpan"/> waits forever.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative and not
    /// <see cref="Timeout.InfiniteTimeSpan"/>.</exception>
    public SendResult Send(SendBatch batch, TimeSpan timeout) => SendCore(batch, ToMilliseconds(timeout));

    /// <summary>
    /// Sends as many datagrams as possible without waiting. If the send buffer becomes full, returns
    /// <see cref="SendStatus.Full"/>. Datagrams that are still to be sent stay in the batch, in order.
    /// </summary>
    /// <inheritdoc cref="Send(SendBatch)" path="/*[not(self::param)]"/>
    /// <param name="batch">A batch of this backend.</param>
    public SendResult TrySend(SendBatch batch) => ToPublicOfTry(SendCore(batch, 0));

    /// <summary>Sends one datagram; waits while the send buffer is full.</summary>
    /// <param name="payload">The payload, at most 65,507 bytes over IPv4 and 65,527 bytes over IPv6.</param>
    /// <param name="peer">
    /// The destination; on a connected socket, the connected peer or <c>default</c>. A datagram to port 0 is refused,
    /// and so is one to <c>default</c> on a socket that is not connected. Then no exception is thrown;
    /// <see cref="SendResult.Refused"/> is 1.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The payload is longer than 65,527 bytes.</exception>
    public SendResult SendTo(ReadOnlySpan<byte> payload, in UdpEndPoint peer) =>
        SendToCore(payload, peer, ForeverMilliseconds);

    /// <summary>
    /// Sends as <see cref="SendTo(ReadOnlySpan{byte}, in UdpEndPoint)"/> does, but waits at most until the timeout.
    /// </summary>
    /// <param name="payload">The payload, at most 65,507 bytes over IPv4 and 65,527 bytes over IPv6.</param>
    /// <param name="peer">
    /// The destination; on a connected socket, the connected peer or <c>default</c>. A datagram to port 0 is refused,
    /// and so is one to <c>default</c> on a socket that is not connected. Then no exception is thrown;
    /// <see cref="SendResult.Refused"/> is 1.
    /// </param>
    /// <param name="timeout">
    /// The longest wait, rounded up to whole milliseconds; <see cref="Timeout.InfiniteTimeSpan"/> waits forever.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The payload is longer than 65,527 bytes, or the timeout is negative and not
    /// <see cref="Timeout.InfiniteTimeSpan"/>.
    /// </exception>
    public SendResult SendTo(ReadOnlySpan<byte> payload, in UdpEndPoint peer, TimeSpan timeout) =>
        SendToCore(payload, peer, ToMilliseconds(timeout));

    /// <summary>
    /// Sends one datagram to the connected peer; waits while the send buffer is full. On a socket that is not connected
    /// the datagram is refused and no exception is thrown: <see cref="SendResult.Refused"/> is 1, and
    /// <see cref="SendResult.FirstError"/> has the system's reason, on Linux
    /// <see cref="SocketError.DestinationAddressRequired"/>.
    /// </summary>
    /// <param name="payload">The payload, at most 65,507 bytes over IPv4 and 65,527 bytes over IPv6.</param>
    /// <exception cref="ArgumentOutOfRangeException">The payload is longer than 65,527 bytes.</exception>
    public SendResult Send(ReadOnlySpan<byte> payload) => SendToCore(payload, default, ForeverMilliseconds);

    /// <summary>
    /// Sends as <see cref="Send(ReadOnlySpan{byte})"/> does, but waits at most until the timeout. Then the datagram is
    /// not sent, and the call returns <see cref="SendStatus.TimedOut"/>, or <see cref="SendStatus.NoBuffers"/> after
    /// ENOBUFS.
    /// </summary>
    /// <param name="payload">The payload, at most 65,507 bytes over IPv4 and 65,527 bytes over IPv6.</param>
    /// <param name="timeout">
    /// The longest wait, rounded up to whole milliseconds; <see cref="Timeout.InfiniteTimeSpan"/> waits forever.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The payload is longer than 65,527 bytes, or the timeout is negative and not
    /// <see cref="Timeout.InfiniteTimeSpan"/>.
    /// </exception>
    public SendResult Send(ReadOnlySpan<byte> payload, TimeSpan timeout) =>
        SendToCore(payload, default, ToMilliseconds(timeout));

    /// <summary>
    /// Sends one datagram to the connected peer without waiting. If the send buffer is full, sends nothing and returns
    /// <see cref="SendStatus.Full"/>. A socket that is not connected refuses the datagram, as in
    /// <see cref="Send(ReadOnlySpan{byte})"/>.
    /// </summary>
    /// <param name="payload">The payload, at most 65,507 bytes over IPv4 and 65,527 bytes over IPv6.</param>
    /// <exception cref="ArgumentOutOfRangeException">The payload is longer than 65,527 bytes.</exception>
    public SendResult TrySend(ReadOnlySpan<byte> payload) => ToPublicOfTry(SendToCore(payload, default, 0));

    /// <summary>
    /// Sends one datagram without waiting. If the send buffer is full, sends nothing and returns
    /// <see cref="SendStatus.Full"/>.
    /// </summary>
    /// <inheritdoc cref="SendTo(ReadOnlySpan{byte}, in UdpEndPoint)"/>
    public SendResult TrySendTo(ReadOnlySpan<byte> payload, in UdpEndPoint peer) =>
        ToPublicOfTry(SendToCore(payload, peer, 0));

    // A sender reports both a full send buffer and the end of the timeout as TimedOut. The public status separates the
    // two.
    private static SendResult ToPublicOfTry(in SendResult result) =>
        result.Status == SendStatus.TimedOut ? result with { Status = SendStatus.Full } : result;

    private static void RequireUsable(ReadOnlySpan<byte> payload)
    {
        if (payload.Length <= SendBatch.MaxPayloadBytes) return;
        throw new ArgumentOutOfRangeException(
            nameof(payload),
            payload.Length,
            $"A datagram has 0 to {SendBatch.MaxPayloadBytes} bytes of payload.");
    }

    private void RequireUsable(SendBatch batch)
    {
        ArgumentNullException.ThrowIfNull(batch);
        if ((batch.Queue.Headers is not null) != _sender.UsesHeaders)
        {
            throw new ArgumentException(
                $"The batch was made by a socket that does not send as this one does, by the {Backend} backend: "
                + "make one with this socket's CreateSendBatch.",
                nameof(batch));
        }
    }

    private SendResult SendCore(SendBatch batch, int timeoutMilliseconds)
    {
        RequireUsable(batch);
        if (!_gate.TryEnter()) return new SendResult(0, 0, batch.Count, SocketError.Success, SendStatus.Closed);
        try
        {
            return SendInGate(batch.Queue, timeoutMilliseconds);
        }
        finally
        {
            _gate.Leave();
        }
    }

    private SendResult SendInGate(SendQueue queue, int timeoutMilliseconds)
    {
        queue.Use.Enter();
        try
        {
            return _sender.Send(queue, timeoutMilliseconds);
        }
        finally
        {
            queue.Leave();
        }
    }

    private SendResult SendToCore(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int timeoutMilliseconds)
    {
        RequireUsable(payload);
        if (!_gate.TryEnter()) return new SendResult(0, 0, 1, SocketError.Success, SendStatus.Closed);
        try
        {
            return _sender.SendOne(payload, peer, timeoutMilliseconds);
        }
        finally
        {
            _gate.Leave();
        }
    }
}
