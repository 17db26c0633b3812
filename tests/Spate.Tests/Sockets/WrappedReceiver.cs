using Spate.Buffers;
using Spate.Sockets;

namespace Spate.Tests.Sockets;

/// <summary>A receiver that passes every call on, and runs something inside a receive and after the close.</summary>
internal sealed class WrappedReceiver(SocketContext context, Receiver inner, Action afterReceive, Action afterClose)
    : Receiver(context, inner.Traits)
{
    /// <inheritdoc/>
    public override ReceiveSlots CreateSlots(int slotCount, int slotBytes, int firstBytes) =>
        inner.CreateSlots(slotCount, slotBytes, firstBytes);

    /// <inheritdoc/>
    public override ReceiveStatus Receive(ReceiveSlots slots, int timeoutMilliseconds)
    {
        ReceiveStatus status = inner.Receive(slots, timeoutMilliseconds);
        afterReceive();
        return status;
    }

    /// <inheritdoc/>
    public override ReceiveStatus ReceiveOne(
        Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram) =>
        inner.ReceiveOne(buffer, timeoutMilliseconds, out datagram);

    /// <inheritdoc/>
    public override ReceiveStatus WaitReadable(int timeoutMilliseconds) => inner.WaitReadable(timeoutMilliseconds);

    /// <inheritdoc/>
    public override bool PrepareToWait() => inner.PrepareToWait();

    /// <inheritdoc/>
    public override void RequireOwner() => inner.RequireOwner();

    /// <inheritdoc/>
    public override void Wake() => inner.Wake();

    /// <inheritdoc/>
    public override void EndReceiving() => inner.EndReceiving();

    /// <inheritdoc/>
    public override void Close()
    {
        inner.Close();
        afterClose();
    }
}
