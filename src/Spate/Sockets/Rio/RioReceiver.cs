using System.Net.Sockets;
using Spate.Buffers;
using Spate.Interop.Windows;
using Spate.Messages;

namespace Spate.Sockets.Rio;

/// <summary>
/// The receiver of the Rio backend (Windows): receives through Registered I/O. The system fills registered memory as
/// datagrams come; a receive takes completions, copies the payloads into its batch and posts the slots again at once.
/// </summary>
internal sealed class RioReceiver<TCalls> : Receiver, IDisposable
    where TCalls : struct, IRioCalls
{
    // The most completions that one call of the system takes.
    private const int ChunkCount = 64;

    private readonly RioParts<TCalls> _parts;
    private readonly RioWait<TCalls> _wait;
    private readonly ReceiveFaults _faults;
    private readonly bool _readsInfo;

    private RioReceiver(SocketContext context, RioParts<TCalls> parts)
        : base(context, new ReceiverTraits
        {
            PollDescriptor = (int)parts.Signal.Event,
            TakesSeveral = true,
            AnnouncesOnce = true,
        })
    {
        _parts = parts;
        _wait = new RioWait<TCalls>(context, parts);
        _faults = new ReceiveFaults(context, SocketErrorPolicy.Describe);
        _readsInfo = context.Options.Metadata != UdpMetadata.None;
    }

    /// <summary>The parts of the receiver, for tests.</summary>
    internal RioParts<TCalls> Parts => _parts;

    /// <param name="context">The context of the socket, which must be bound.</param>
    /// <param name="shape">The sizes of the registered memory.</param>
    /// <param name="calls">The real functions, or functions that fail on purpose.</param>
    /// <exception cref="SocketException">The system refused memory.</exception>
    /// <exception cref="PlatformNotSupportedException">The socket takes no Registered I/O.</exception>
    public static RioReceiver<TCalls> Open(SocketContext context, RioShape shape, TCalls calls)
    {
        // Sends wait for room by themselves.
        context.Socket.Blocking = false;
        return new RioReceiver<TCalls>(context, RioParts<TCalls>.Open(context, shape, calls));
    }

    /// <inheritdoc/>
    public override ReceiveSlots CreateSlots(int slotCount, int slotBytes, int firstBytes) =>
        new(slotCount, slotBytes, firstBytes);

    /// <inheritdoc/>
    public override ReceiveStatus Receive(ReceiveSlots slots, int timeoutMilliseconds)
    {
        int error = 0;
        if (!Context.IsClosed && TryReap(slots, out error))
        {
            _wait.PassOn(hasWaited: false);
            return ReceiveStatus.Received;
        }

        slots.Forget();
        bool hasWaited = false;
        try
        {
            return ReceiveLater(slots, error, timeoutMilliseconds, ref hasWaited);
        }
        finally
        {
            _wait.PassOn(hasWaited);
        }
    }

    /// <inheritdoc/>
    public override ReceiveStatus ReceiveOne(
        Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram) =>
        throw new NotSupportedException("The registered memory holds the datagrams, so single ones are staged.");

    /// <inheritdoc/>
    public override ReceiveStatus WaitReadable(int timeoutMilliseconds)
    {
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        bool hasWaited = false;
        try
        {
            while (true)
            {
                if (Context.IsClosed) return ReceiveStatus.Closed;
                if (_parts.Completions.HasNews()) return ReceiveStatus.Received;
                int remaining = deadline.RemainingMilliseconds;
                if (remaining == 0) return ReceiveStatus.TimedOut;
                _parts.Repost();
                _wait.Wait(remaining);
                hasWaited = true;
            }
        }
        finally
        {
            _wait.PassOn(hasWaited);
        }
    }

    /// <inheritdoc/>
    public override bool PrepareToWait() => _wait.Prepare();

    /// <inheritdoc/>
    public override void Wake() => _parts.Signal.Set();

    /// <inheritdoc/>
    public override void Close() => Dispose();

    /// <summary>Closes the socket and frees the memory. Called after the last call has returned.</summary>
    public void Dispose() => _parts.Dispose();

    private ReceiveStatus ReceiveLater(ReceiveSlots slots, int error, int timeoutMilliseconds, ref bool hasWaited)
    {
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        ReceiveBackOff backOff = default;
        while (true)
        {
            if (Context.IsClosed) return ReceiveStatus.Closed;
            if (error == 0) error = _parts.Repost();
            if (error == 0)
            {
                // The queue is empty, so the next error is the first of a new series.
                backOff.OnEmpty();
                int remaining = deadline.RemainingMilliseconds;
                if (remaining == 0) return ReceiveStatus.TimedOut;
                _wait.Wait(remaining);
                hasWaited = true;
            }
            else if (Handle(error, deadline, ref backOff) is { } status)
            {
                return status;
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

    private bool TryReap(ReceiveSlots slots, out int error)
    {
        slots.Begin();
        slots.HasInfo = _readsInfo;
        error = 0;
        int count = 0;
        int cutCount = 0;
        Span<RIORESULT> results = stackalloc RIORESULT[ChunkCount];
        while (count < slots.SlotCount)
        {
            Span<RIORESULT> wanted = results[..Math.Min(ChunkCount, slots.SlotCount - count)];
            int found = _parts.Completions.Take(wanted);
            try
            {
                for (int i = 0; i < found; i++)
                {
                    if (!TryStore(results[i], slots, count, ref error)) continue;
                    if (slots.All[count].IsTruncated) cutCount++;
                    count++;
                }
            }
            finally
            {
                _parts.PostAgain(results[..found]);
            }

            if (found < wanted.Length) break;
        }

        if (count == 0) return false;
        if (error != 0) KeepForLater(error);
        slots.Complete(count);
        Context.Counters.CountReceive(count, count, slots.ByteCount);
        if (cutCount > 0) Context.Counters.CountTruncated(cutCount);
        return true;
    }

    // Notes an error that came between datagrams. A later receive throws, if the socket reports such errors.
    private void KeepForLater(int error)
    {
        if (SocketErrorPolicy.Of(error).Receive != ErrnoAction.PendingError)
        {
            Context.Counters.CountUnknownError();
            return;
        }

        Context.NoteIcmpError(SocketErrorPolicy.ToSocketError(error));
        Context.Counters.CountIcmpError();
        if (Context.IsPortUnreachable) Context.TryReceivesSoon?.Invoke();
    }

    // Copies a datagram into a slot of the batch. A datagram that was longer than the registered slot is a datagram all
    // the same (WSAEMSGSIZE).
    private bool TryStore(in RIORESULT result, ReceiveSlots slots, int index, ref int error)
    {
        if (result.Status != 0 && SocketErrorPolicy.ToSocketError(result.Status) != SocketError.MessageSize)
        {
            if (error != 0) KeepForLater(error);
            error = result.Status;
            return false;
        }

        int from = (int)result.RequestContext;
        ReadOnlySpan<byte> payload = _parts.Memory.Payload(from, (int)result.BytesTransferred);
        ref ReceiveSlot slot = ref slots.All[index];
        slot.IsTruncated = payload.Length > slots.SlotBytes || result.Status != 0;
        if (payload.Length > slots.SlotBytes) payload = payload[..slots.SlotBytes];
        slots.Store(index, payload);
        slot.LengthBytes = payload.Length;
        slot.OffsetBytes = 0;
        slot.SegmentBytes = 0;
        slot.Peer = Context.IsConnected ? Context.Remote : _parts.Memory.Peer(from);
        if (_readsInfo)
        {
            ref DatagramInfo info = ref slots.InfoForWriting[index];
            info = default;
            bool isToMany = (_parts.Memory.Flags(from) & (WinSock2.MSG_BCAST | WinSock2.MSG_MCAST)) != 0;
            WinsockReceivedControl.Read(_parts.Memory.Control(from), isToMany, ref info);
        }

        return true;
    }
}
