using Spate.Buffers;

namespace Spate.Sockets;

/// <summary>
/// The receiving side of the interface between sockets and the operating system: one virtual call per batch. A receiver
/// fills the slots of a batch and does not own them. Any number of threads may receive at the same time, each with its
/// own batch, also while other threads send. Timeouts are in milliseconds: -1 waits forever, 0 does not wait.
/// </summary>
/// <remarks>
/// To add a backend: derive a receiver and, if the backend also sends in its own way, a <see cref="Sender"/>; state the
/// differences in <see cref="ReceiverTraits"/>; add a probe and a line to <see cref="BackendSelector"/>. No other code
/// asks which backend a socket has. docs/choose/backends.md describes each backend.
/// </remarks>
internal abstract class Receiver(SocketContext context, ReceiverTraits traits)
{
    /// <summary>
    /// The status of a receive that got a failure such as ENOBUFS, whose end no event announces, and that had no time
    /// left to wait. The caller tries again a little later. Outside the library this status is
    /// <see cref="ReceiveStatus.TimedOut"/>.
    /// </summary>
    public const ReceiveStatus RetryLater = (ReceiveStatus)(-1);

    public ReceiverTraits Traits { get; } = traits;

    /// <summary>Whether a receive found no datagram in its time, for whatever reason.</summary>
    public static bool IsEmpty(ReceiveStatus status) => status is ReceiveStatus.TimedOut or RetryLater;

    protected SocketContext Context { get; } = context;

    /// <summary>Creates the slots of a batch in the layout that this receiver fills.</summary>
    /// <param name="slotCount">The number of slots: the most buffers that one call fills.</param>
    /// <param name="slotBytes">The longest payload that a slot can take.</param>
    /// <param name="firstBytes">
    /// The longest payload that a slot can take before it grows; at most <paramref name="slotBytes"/>.
    /// </param>
    public abstract ReceiveSlots CreateSlots(int slotCount, int slotBytes, int firstBytes);

    /// <summary>Creates slots that have their full size from the start.</summary>
    public ReceiveSlots CreateSlots(int slotCount, int slotBytes) => CreateSlots(slotCount, slotBytes, slotBytes);

    /// <summary>
    /// Fills slots that <see cref="CreateSlots(int, int, int)"/> of the same backend has made. The caller already has
    /// exclusive use of the slots (ExclusiveUse.Enter).
    /// </summary>
    public abstract ReceiveStatus Receive(ReceiveSlots slots, int timeoutMilliseconds);

    /// <summary>
    /// Receives one datagram into the caller's memory. Not for a receiver that may take several at this moment: then
    /// <see cref="SingleReceiver"/> asks it for a batch.
    /// </summary>
    public abstract ReceiveStatus ReceiveOne(
        Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram);

    /// <summary>
    /// Waits until something can be received, without receiving it. Returns Received if so, else TimedOut or Closed.
    /// </summary>
    public abstract ReceiveStatus WaitReadable(int timeoutMilliseconds);

    /// <summary>
    /// Prepares the receiver so that other code can wait for <see cref="ReceiverTraits.PollDescriptor"/>; called before
    /// each such wait. The calling thread need not be the thread that will receive.
    /// </summary>
    /// <returns>
    /// False if no event would announce the next datagram: the caller must try to receive a little later.
    /// </returns>
    public virtual bool PrepareToWait() => true;

    /// <summary>
    /// Reads the memory that a receive will need, so that the memory is in the CPU's caches. A poller calls this for
    /// several sockets in a row, so that their cache misses overlap. Otherwise each receive would wait for its own
    /// cache misses (5 % of the time with 10,000 sockets that have one datagram each).
    /// </summary>
    /// <returns>
    /// A value without a meaning, computed from the memory that was read, so that the reads are not optimised away.
    /// </returns>
    public virtual bool Prefetch() => Context.IsClosed | Context.Counters.HasReceived;

    /// <summary>
    /// Throws if the calling thread is not allowed to receive (<see cref="ReceiverTraits.NeedsOneThread"/>).
    /// </summary>
    public virtual void RequireOwner()
    {
    }

    /// <summary>
    /// Wakes calls that wait for something other than the socket; a shutdown wakes calls that wait for the socket.
    /// Called once the context is marked closed, and then repeatedly until all calls have returned.
    /// </summary>
    public virtual void Wake()
    {
    }

    /// <summary>
    /// Ends the receive request that is running in the kernel, if the backend uses such requests. Called by the
    /// receiving thread when it will not receive again, because some requests can be ended only by that thread.
    /// </summary>
    public virtual void EndReceiving()
    {
    }

    /// <summary>
    /// Frees the receiver's resources. Called after the last call has returned and before the descriptor is closed.
    /// </summary>
    public virtual void Close()
    {
    }
}
