using Spate.Buffers;

namespace Spate.Sockets;

/// <summary>
/// Throws in a receive what another call of the socket was told: that nobody listens at the peer's port. The selector
/// puts it around the receivers of sockets that report that, so that the others do nothing for it.
/// </summary>
/// <param name="inner">The receiver, which throws what it is told itself (<see cref="ReceiveFaults"/>).</param>
/// <param name="context">The socket's.</param>
internal sealed class ReportingReceiver(Receiver inner, SocketContext context) : Receiver(context, inner.Traits)
{
    // Nothing wakes a receive that blocks in the system for what a send has met: it looks again after so long.
    private const int SliceMilliseconds = 50;

    /// <inheritdoc/>
    public override bool HasStaged => inner.HasStaged || Context.IsPortUnreachable;

    /// <inheritdoc/>
    public override ReceiveSlots CreateSlots(int slotCount, int slotBytes, int firstBytes) =>
        inner.CreateSlots(slotCount, slotBytes, firstBytes);

    /// <inheritdoc/>
    public override ReceiveStatus Receive(ReceiveSlots slots, int timeoutMilliseconds)
    {
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        while (true)
        {
            Context.ThrowIfPortUnreachable();
            int sliceMilliseconds = Deadline.Shorter(deadline.RemainingMilliseconds, SliceMilliseconds);
            ReceiveStatus status = inner.Receive(slots, sliceMilliseconds);
            if (status != ReceiveStatus.TimedOut || sliceMilliseconds < SliceMilliseconds) return status;
        }
    }

    /// <inheritdoc/>
    public override ReceiveStatus ReceiveOne(
        Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram)
    {
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        while (true)
        {
            Context.ThrowIfPortUnreachable();
            int sliceMilliseconds = Deadline.Shorter(deadline.RemainingMilliseconds, SliceMilliseconds);
            ReceiveStatus status = inner.ReceiveOne(buffer, sliceMilliseconds, out datagram);
            if (status != ReceiveStatus.TimedOut || sliceMilliseconds < SliceMilliseconds) return status;
        }
    }

    /// <inheritdoc/>
    public override ReceiveStatus WaitReadable(int timeoutMilliseconds) =>
        Context.IsPortUnreachable ? ReceiveStatus.Received : inner.WaitReadable(timeoutMilliseconds);

    /// <inheritdoc/>
    public override bool PrepareToWait() => inner.PrepareToWait() && !Context.IsPortUnreachable;

    /// <inheritdoc/>
    public override bool Prefetch() => inner.Prefetch();

    /// <inheritdoc/>
    public override void RequireOwner() => inner.RequireOwner();

    /// <inheritdoc/>
    public override void Wake() => inner.Wake();

    /// <inheritdoc/>
    public override void EndReceiving() => inner.EndReceiving();

    /// <inheritdoc/>
    public override void Close() => inner.Close();
}
