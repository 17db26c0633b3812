using Spate.Buffers;

namespace Spate.Sockets;

/// <summary>
/// Makes a receive throw an error that another call of the socket got: nobody listens at the peer's port. The selector
/// wraps only the receivers of sockets that report this error, so other sockets do no extra work.
/// </summary>
/// <param name="inner">
/// The wrapped receiver, which throws the errors of its own calls (<see cref="ReceiveFaults"/>).
/// </param>
/// <param name="context">The socket's context.</param>
internal sealed class ReportingReceiver(Receiver inner, SocketContext context) : Receiver(context, inner.Traits)
{
    // The longest wait in the system between two checks for the error. A send that gets the error cannot wake a receive
    // that blocks in the system.
    private const int SliceMilliseconds = 50;

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
            if (!IsEmpty(status) || sliceMilliseconds < SliceMilliseconds) return status;
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
            if (!IsEmpty(status) || sliceMilliseconds < SliceMilliseconds) return status;
        }
    }

    /// <inheritdoc/>
    public override ReceiveStatus WaitReadable(int timeoutMilliseconds)
    {
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        while (true)
        {
            if (Context.IsPortUnreachable) return ReceiveStatus.Received;
            int sliceMilliseconds = Deadline.Shorter(deadline.RemainingMilliseconds, SliceMilliseconds);
            ReceiveStatus status = inner.WaitReadable(sliceMilliseconds);
            if (!IsEmpty(status) || sliceMilliseconds < SliceMilliseconds) return status;
        }
    }

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
