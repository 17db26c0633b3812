using Spate.Buffers;

namespace Spate.Sockets;

/// <summary>
/// The receiving side of the interface between sockets and the operating system: one virtual call per batch. A receiver
/// fills the slots of a batch and does not own them. Any number of threads may call at the same time, each with its own
/// batch, and also while others send. Timeouts are in milliseconds: -1 waits forever, 0 does not wait.
/// </summary>
/// <remarks>
/// To add a backend: derive a receiver and, if the system has another way to send, a <see cref="Sender"/>; state the
/// differences in <see cref="ReceiverTraits"/>; add a probe and a line to <see cref="BackendSelector"/>. No other code
/// asks which backend a socket has. docs/backends.md has the plan for Winsock and Rio.
/// </remarks>
internal abstract class Receiver(SocketContext context, ReceiverTraits traits)
{
    public ReceiverTraits Traits { get; } = traits;

    /// <summary>
    /// Whether datagrams that an earlier call took from the system are staged here. Readiness does not report them.
    /// </summary>
    public virtual bool HasStaged => false;

    protected SocketContext Context { get; } = context;

    /// <summary>Creates the slots of a batch in the layout that this receiver fills.</summary>
    /// <param name="slotCount">The number of slots: the most buffers that one call fills.</param>
    /// <param name="slotBytes">The longest payload of a slot.</param>
    /// <param name="firstBytes">The longest payload before the slot grows, at most the former.</param>
    public abstract ReceiveSlots CreateSlots(int slotCount, int slotBytes, int firstBytes);

    /// <summary>The same with slots that need not grow.</summary>
    public ReceiveSlots CreateSlots(int slotCount, int slotBytes) => CreateSlots(slotCount, slotBytes, slotBytes);

    /// <summary>
    /// Fills slots that <see cref="CreateSlots(int, int, int)"/> of the same backend has made. The caller has entered
    /// the slots' exclusive use.
    /// </summary>
    public abstract ReceiveStatus Receive(ReceiveSlots slots, int timeoutMilliseconds);

    /// <summary>
    /// Receives one datagram into the caller's memory. Only for receivers whose buffers never contain several datagrams
    /// (<see cref="ReceiverTraits.TakesSeveral"/>): <see cref="SingleReceiver"/> does it for the others.
    /// </summary>
    public abstract ReceiveStatus ReceiveOne(
        Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram);

    /// <summary>Waits until something can be received. Returns Received, TimedOut or Closed.</summary>
    public abstract ReceiveStatus WaitReadable(int timeoutMilliseconds);

    /// <summary>
    /// Called before any code but this receiver waits for <see cref="ReceiverTraits.PollDescriptor"/>. The calling
    /// thread need not be the thread that will receive.
    /// </summary>
    /// <returns>False if no event would announce the next datagram: try to receive a little later.</returns>
    public virtual bool PrepareToWait() => true;

    /// <summary>
    /// Reads the memory that a receive will need. A poller calls this for several sockets in a row, so that their
    /// misses in the CPU's caches overlap. Otherwise each receive would wait for its own misses (5 % of the time with
    /// 10,000 sockets of one datagram each).
    /// </summary>
    /// <returns>A value made of the memory that was read, so that the reads are not optimised away.</returns>
    public virtual bool Prefetch() => Context.IsClosed | Context.Counters.HasReceived;

    /// <summary>Throws if the calling thread may not receive.</summary>
    public virtual void RequireOwner()
    {
    }

    /// <summary>
    /// Wakes calls that wait for something other than the socket; a shutdown wakes calls that wait for the socket.
    /// Called after the context was marked closed, and again until all calls have left.
    /// </summary>
    public virtual void Wake()
    {
    }

    /// <summary>
    /// The receiving thread will not receive again. If only that thread may end a request under way, it does so now.
    /// </summary>
    public virtual void EndReceiving()
    {
    }

    /// <summary>Called after the last call has left and before the descriptor is closed.</summary>
    public virtual void Close()
    {
    }
}
