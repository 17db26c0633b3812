using System.Net.Sockets;
using Spate.Buffers;

namespace Spate.Sockets.Winsock;

/// <summary>
/// The receiver of the Winsock backend (Windows): overlapped receives are posted from the first call on, and a call
/// takes those that have ended (<see cref="ReceiveQueue{TCalls}"/>). Any number of threads may receive.
/// </summary>
internal sealed class WinsockReceiver<TCalls> : Receiver
    where TCalls : struct, IWinsockCalls
{
    /// <summary>The number of receives to post: enough for a default batch.</summary>
    internal const int PostedCount = 64;

    /// <summary>The number if each buffer may hold many datagrams.</summary>
    internal const int CoalescedPostedCount = 32;

    private readonly ReceiveQueue<TCalls> _posted;
    private readonly ReceiveFaults _faults;
    private readonly bool _readsInfo;

    private WinsockReceiver(SocketContext context, ReceiverTraits traits, ReceiveQueue<TCalls> posted)
        : base(context, traits)
    {
        _posted = posted;
        _faults = new ReceiveFaults(context, SocketErrorPolicy.Describe);
        _readsInfo = context.Options.Metadata != UdpMetadata.None;
    }

    /// <summary>The receives, for tests.</summary>
    internal ReceiveQueue<TCalls> Posted => _posted;

    /// <param name="context">The context of the socket, which no completion port has yet.</param>
    /// <param name="coalesces">Whether the system may hand over coalesced buffers.</param>
    /// <param name="calls">The real system calls, or calls that fail on purpose.</param>
    /// <exception cref="SocketException">The system refused.</exception>
    public static WinsockReceiver<TCalls> Open(SocketContext context, bool coalesces, TCalls calls)
    {
        // Sends must not wait in the system. Overlapped receives never do.
        context.Socket.Blocking = false;
        var posted = new ReceiveQueue<TCalls>(
            context, coalesces, coalesces ? CoalescedPostedCount : PostedCount, calls);
        ReceiverTraits traits = new()
        {
            PollDescriptor = (int)posted.EventHandle,
            Coalesces = coalesces,
            TakesSeveral = true,

            // Packets come in portions, and only the next call retries a receive that could not be posted again.
            ShortMeansDrained = false,
        };
        return new WinsockReceiver<TCalls>(context, traits, posted);
    }

    /// <inheritdoc/>
    public override ReceiveSlots CreateSlots(int slotCount, int slotBytes, int firstBytes) =>
        new(slotCount, slotBytes, firstBytes < slotBytes ? firstBytes : Math.Max(slotBytes, _posted.BufferBytes));

    /// <inheritdoc/>
    public override ReceiveStatus Receive(ReceiveSlots slots, int timeoutMilliseconds)
    {
        slots.Begin();
        int error = 0;
        if (!Context.IsClosed && TryReap(slots, out error)) return ReceiveStatus.Received;
        return ReceiveLater(slots, error, timeoutMilliseconds);
    }

    /// <inheritdoc/>
    public override ReceiveStatus ReceiveOne(
        Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram) =>
        throw new NotSupportedException("Posted receives hold the datagrams, so single ones are staged.");

    /// <inheritdoc/>
    public override ReceiveStatus WaitReadable(int timeoutMilliseconds)
    {
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        while (true)
        {
            if (Context.IsClosed) return ReceiveStatus.Closed;
            if (_posted.Look()) return ReceiveStatus.Received;
            int remaining = deadline.RemainingMilliseconds;
            if (remaining == 0) return ReceiveStatus.TimedOut;
            _posted.Wait(remaining);
        }
    }

    /// <inheritdoc/>
    public override bool PrepareToWait() => _posted.Announce();

    /// <inheritdoc/>
    public override void Wake() => _posted.Wake();

    /// <inheritdoc/>
    public override void Close()
    {
        _posted.Dispose();
        if (_posted.UnreadCount > 0) Context.Counters.CountUnread(_posted.UnreadCount);
    }

    private bool TryReap(ReceiveSlots slots, out int error)
    {
        int count = _posted.Reap(slots, _faults, out int truncatedCount, out error);
        if (count == 0) return false;
        slots.HasInfo = _readsInfo;
        slots.Complete(count);
        Context.Counters.CountReceive(slots.Count, count, slots.ByteCount);
        if (truncatedCount > 0) Context.Counters.CountTruncated(truncatedCount);
        return true;
    }

    /// <summary>
    /// Continues a receive that found no datagram, or an error: waits and takes again until a datagram, the timeout or
    /// Close ends the receive.
    /// </summary>
    private ReceiveStatus ReceiveLater(ReceiveSlots slots, int error, int timeoutMilliseconds)
    {
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        ReceiveBackOff backOff = default;
        while (true)
        {
            if (Context.IsClosed) return ReceiveStatus.Closed;
            if (error != 0)
            {
                // The next look comes without a wait, because a datagram may be there in spite of the error.
                if (Handle(error, deadline, ref backOff) is { } status) return status;
            }
            else
            {
                backOff.OnEmpty();
                int remaining = deadline.RemainingMilliseconds;
                if (remaining == 0) return ReceiveStatus.TimedOut;
                _posted.Wait(remaining);
            }

            if (Context.IsClosed) return ReceiveStatus.Closed;
            if (TryReap(slots, out error)) return ReceiveStatus.Received;
        }
    }

    private ReceiveStatus? Handle(int error, in Deadline deadline, ref ReceiveBackOff backOff)
    {
        ErrnoAction action = SocketErrorPolicy.Of(error).Receive;
        if (action == ErrnoAction.PendingError) Context.NoteIcmpError(SocketErrorPolicy.ToSocketError(error));
        return _faults.Handle(action, error, deadline, ref backOff);
    }
}
