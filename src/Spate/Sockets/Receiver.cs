using Spate.Buffers;

namespace Spate.Sockets;

/// <summary>
/// The receiving half of the seam between sockets and the operating system: one virtual call per batch. A receiver
/// fills the slots of a batch and does not own them. Any number of threads may call at the same time, each with its own
/// batch, and beside sends. Timeouts are milliseconds: -1 waits for ever, 0 does not wait.
/// </summary>
/// <remarks>
/// To add a backend: derive a receiver and, where the system has another way to send, a <see cref="Sender"/>; state in
/// <see cref="ReceiverTraits"/> what differs; add a probe and a line to <see cref="BackendSelector"/>. Nothing else
/// asks which backend a socket has. docs/backends.md has the plan for Winsock and Rio.
/// </remarks>
internal abstract class Receiver(SocketContext context, ReceiverTraits traits)
{
    public ReceiverTraits Traits { get; } = traits;

    /// <summary>
    /// Whether datagrams that an earlier call took from the system wait here, of which readiness tells nothing.
    /// </summary>
    public virtual bool HasStaged => false;

    protected SocketContext Context { get; } = context;

    /// <summary>Makes the memory of a batch as this receiver fills it.</summary>
    /// <param name="slotCount">The slots: the most buffers that one call fills.</param>
    /// <param name="slotBytes">The longest payload of a slot.</param>
    /// <param name="firstBytes">The longest payload before the slot grows, at most the former.</param>
    public abstract ReceiveSlots CreateSlots(int slotCount, int slotBytes, int firstBytes);

    /// <summary>The same with slots that need not grow.</summary>
    public ReceiveSlots CreateSlots(int slotCount, int slotBytes) => CreateSlots(slotCount, slotBytes, slotBytes);

    /// <summary>
    /// Fills slots that <see cref="CreateSlots(int, int, int)"/> of the same backend has made. The caller has entered
    /// their use.
    /// </summary>
    public abstract ReceiveStatus Receive(ReceiveSlots slots, int timeoutMilliseconds);

    /// <summary>
    /// Receives one datagram into the caller's memory. Only where a buffer never holds several
    /// (<see cref="ReceiverTraits.TakesSeveral"/>): <see cref="SingleReceiver"/> does it for the others.
    /// </summary>
    public abstract ReceiveStatus ReceiveOne(
        Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram);

    /// <summary>Waits until something can be received: Received, or TimedOut, or Closed.</summary>
    public abstract ReceiveStatus WaitReadable(int timeoutMilliseconds);

    /// <summary>
    /// Before anything but this receiver waits for <see cref="ReceiverTraits.PollDescriptor"/>. The calling thread need
    /// not be the one that will receive.
    /// </summary>
    /// <returns>False where nothing would tell of the next datagram: try to receive a little later.</returns>
    public virtual bool PrepareToWait() => true;

    /// <summary>
    /// Reads what a receive will need. A poller calls this for several sockets in a row: their misses in the
    /// processor's caches overlap then, while each receive would wait for its own (5 % of the time with 10,000 sockets
    /// of one datagram each).
    /// </summary>
    /// <returns>A value made of what was read, so that the reading is not optimised away.</returns>
    public virtual bool Prefetch() => Context.IsClosed | Context.Counters.HasReceived;

    /// <summary>Throws where the calling thread may not receive.</summary>
    public virtual void RequireOwner()
    {
    }

    /// <summary>
    /// Wakes calls that wait for something else than the socket, which a shutdown wakes. Called after the context was
    /// marked closed, and again until all have left.
    /// </summary>
    public virtual void Wake()
    {
    }

    /// <summary>
    /// The thread that receives will do so no more. Where only that thread may end what is under way, it does so now.
    /// </summary>
    public virtual void EndReceiving()
    {
    }

    /// <summary>After the last call has left and before the descriptor is closed.</summary>
    public virtual void Close()
    {
    }
}
