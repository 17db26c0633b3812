using Spate.Buffers;
using Spate.Sockets;

namespace Spate.Tests.Sockets;

/// <summary>A backend that passes every call on, with places for a test to step in between.</summary>
internal sealed class WrappedBackend(SocketContext context, DatagramBackend inner) : DatagramBackend(context)
{
    /// <summary>Runs after the backend's own close.</summary>
    public Action AfterClose { get; set; } = static () => { };

    /// <inheritdoc/>
    public override UdpBackend Kind => inner.Kind;

    /// <inheritdoc/>
    public override bool CoalescedReceive => inner.CoalescedReceive;

    /// <inheritdoc/>
    public override bool SegmentedSend => inner.SegmentedSend;

    /// <inheritdoc/>
    public override int ExchangedBytes => inner.ExchangedBytes;

    /// <inheritdoc/>
    public override bool NeedsStaging => inner.NeedsStaging;

    /// <inheritdoc/>
    public override int PollDescriptor => inner.PollDescriptor;

    /// <inheritdoc/>
    public override bool PollsByEdge => inner.PollsByEdge;

    /// <inheritdoc/>
    public override bool ShortMeansDrained => inner.ShortMeansDrained;

    /// <inheritdoc/>
    public override bool CanAwaitReceives => inner.CanAwaitReceives;

    /// <inheritdoc/>
    public override ReceiveStatus Receive(ReceiveBatch batch, int timeoutMilliseconds) =>
        inner.Receive(batch, timeoutMilliseconds);

    /// <inheritdoc/>
    public override ReceiveStatus ReceiveOne(
        Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram) =>
        inner.ReceiveOne(buffer, timeoutMilliseconds, out datagram);

    /// <inheritdoc/>
    public override Type QueueType => inner.QueueType;

    /// <inheritdoc/>
    public override SendQueue CreateQueue(int capacity, int bufferBytes) => inner.CreateQueue(capacity, bufferBytes);

    /// <inheritdoc/>
    public override SendResult Send(SendQueue queue, int timeoutMilliseconds) => inner.Send(queue, timeoutMilliseconds);

    /// <inheritdoc/>
    public override SendResult SendOne(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int timeoutMilliseconds) =>
        inner.SendOne(payload, peer, timeoutMilliseconds);

    /// <inheritdoc/>
    public override ReceiveStatus WaitReadable(int timeoutMilliseconds) => inner.WaitReadable(timeoutMilliseconds);

    /// <inheritdoc/>
    public override bool UsesRuntimeReadiness => inner.UsesRuntimeReadiness;

    /// <inheritdoc/>
    public override void PrepareToPoll() => inner.PrepareToPoll();

    /// <inheritdoc/>
    public override bool PrepareToWait() => inner.PrepareToWait();

    /// <inheritdoc/>
    public override void EndReceiving() => inner.EndReceiving();

    /// <inheritdoc/>
    public override void RequireOwner() => inner.RequireOwner();

    /// <inheritdoc/>
    public override bool TryReceiveIcmpError(out UdpIcmpError error) => inner.TryReceiveIcmpError(out error);

    /// <inheritdoc/>
    public override void WakeAll() => inner.WakeAll();

    /// <inheritdoc/>
    public override void Close()
    {
        inner.Close();
        AfterClose();
    }
}
