using Spate.Buffers;

namespace Spate.Sockets;

/// <summary>
/// The seam between sockets and the operating system: one virtual call per batch, both ways. A backend fills the
/// batch's slots and sends the batch's trains; it owns neither. Receives and sends may run at the same time on
/// different threads; calls of one direction may too, each with its own batch. Timeouts are milliseconds: -1 waits for
/// ever, 0 not at all.
/// </summary>
internal abstract class DatagramBackend(SocketContext context)
{
    protected SocketContext Context { get; } = context;

    public abstract UdpBackend Kind { get; }

    /// <summary>Whether the kernel may hand over coalesced buffers, so that slots need 65,535 bytes.</summary>
    public abstract bool CoalescedReceive { get; }

    public abstract bool SegmentedSend { get; }

    /// <summary>
    /// What the buffers of a batch must hold where the backend exchanges them for its own; otherwise 0.
    /// </summary>
    public virtual int ExchangedBytes => 0;

    /// <summary>
    /// Whether single datagrams must be taken through a batch: because a buffer may hold several, or because the
    /// backend sees truncation only in its own slots.
    /// </summary>
    public abstract bool NeedsStaging { get; }

    public abstract ReceiveStatus Receive(ReceiveBatch batch, int timeoutMilliseconds);

    /// <summary>One datagram into the caller's memory; only where <see cref="NeedsStaging"/> is false.</summary>
    public abstract ReceiveStatus ReceiveOne(Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram);

    /// <summary>The type of the queues that <see cref="CreateQueue"/> makes and <see cref="Send"/> takes.</summary>
    public abstract Type QueueType { get; }

    public abstract SendQueue CreateQueue(int capacity, int bufferBytes);

    /// <summary>Sends what the queue holds; what was neither sent nor refused stays in it.</summary>
    public abstract SendResult Send(SendQueue queue, int timeoutMilliseconds);

    public abstract SendResult SendOne(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int timeoutMilliseconds);

    /// <summary>Waits until something can be received: Received, or TimedOut, or Closed.</summary>
    public abstract ReceiveStatus WaitReadable(int timeoutMilliseconds);

    /// <summary>
    /// Whether awaited calls learn from System.Net.Sockets that the socket is ready, since there is no descriptor that
    /// could be waited for.
    /// </summary>
    public virtual bool UsesRuntimeReadiness => false;

    /// <summary>What becomes readable when something can be received.</summary>
    public virtual int PollDescriptor => Context.Descriptor;

    /// <summary>Whether it must be waited for by edge (EPOLLET), since nobody resets it.</summary>
    public virtual bool PollsByEdge => false;

    /// <summary>Whether a receive that brings less than there was room for has met the end.</summary>
    public virtual bool ShortMeansDrained => true;

    /// <summary>
    /// Before a poller waits for <see cref="PollDescriptor"/>, by a thread that need not be the one that will receive.
    /// </summary>
    public virtual void PrepareToPoll()
    {
    }

    /// <summary>
    /// Before a thread sleeps on <see cref="PollDescriptor"/> by other means than this backend's calls, and before
    /// awaited calls wait for it. False if no event will come, so that the caller must look again a little later.
    /// </summary>
    public virtual bool PrepareToWait() => true;

    /// <summary>
    /// The thread that receives will do so no more; where only it may end what is under way, it does so now.
    /// </summary>
    public virtual void EndReceiving()
    {
    }

    /// <summary>Whether receives may be awaited: not where one thread alone may receive.</summary>
    public virtual bool CanAwaitReceives => true;

    /// <summary>Throws where the calling thread may not receive.</summary>
    public virtual void RequireOwner()
    {
    }

    /// <summary>After the last call has left and before the descriptor goes.</summary>
    public virtual void Close()
    {
    }

    /// <summary>Takes one ICMP error off the socket's queue.</summary>
    public virtual bool TryReceiveIcmpError(out UdpIcmpError error)
    {
        error = default;
        return false;
    }

    /// <summary>
    /// Takes what the socket's queue of errors holds out of the kernel, where it would fill the receive buffer.
    /// </summary>
    public virtual void ReadErrorQueue()
    {
    }

    /// <summary>
    /// Wakes every call that waits in the system. Called after the context was marked closed, and again until all have
    /// left.
    /// </summary>
    public abstract void WakeAll();
}
