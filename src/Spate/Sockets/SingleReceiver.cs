using System.Collections.Concurrent;
using System.Diagnostics;
using Spate.Buffers;

namespace Spate.Sockets;

/// <summary>
/// Receives single datagrams from a receiver whose calls may take several: with coalesced receive, and on a ring. Such
/// a receiver is asked for a batch, into slots of this class, and the datagrams are returned one by one. So nothing of
/// a coalesced buffer is lost, however small the caller's buffer is. The slots are borrowed from a pool only while they
/// hold datagrams, so ten thousand idle sockets need none. One lock guards all of this.
/// <para>
/// The first batch switches coalesced receive on (<see cref="BeginBatches"/>). Before the switch, every single receive
/// is one plain call under the lock, and the call does not wait. The switch takes the lock too. So no single receive
/// can meet a coalesced buffer, of which it would lose what does not fit into its own.
/// </para>
/// <para>
/// Until the first single receive after the switch, batch receives go straight to the receiver, counted in
/// <see cref="KernelWaitCount"/> while they may wait in the kernel. From then on they ask this class, since nothing
/// could wake a call in the kernel for datagrams that are staged here, until one of them finds nothing staged. The next
/// datagrams belong to the calls that wait in the kernel: all others leave the kernel alone, and wait until they are
/// woken.
/// </para>
/// </summary>
/// <param name="backend">The backend. Its sockets share a pool of slots, since their slots have one layout.</param>
/// <param name="receiver">The receiver.</param>
/// <param name="context">The socket's context.</param>
internal sealed class SingleReceiver(UdpBackend backend, Receiver receiver, SocketContext context)
{
    private const int MaxPooledCount = 64;

    // One call takes at most eight coalesced buffers: more would only be staged here and copied later.
    private const int SlotCount = 8;
    private const int SlotBytes = 65_535;

    private static readonly ConcurrentQueue<ReceiveSlots>[] Pools =
        [.. Enum.GetValues<UdpBackend>().Select(static _ => new ConcurrentQueue<ReceiveSlots>())];

    private readonly ConcurrentQueue<ReceiveSlots> _pool = Pools[(int)backend];
    private volatile bool _isDirect = receiver.Traits.TakesSeveral;
    private ReceiveSlots? _staged;
    private int _nextIndex;
    private int _waitingCount;

    /// <summary>
    /// The number of calls that wait in the kernel for the next datagrams. Batch receives change it outside the lock
    /// while <see cref="IsDirect"/>.
    /// </summary>
    public int KernelWaitCount;

    /// <summary>
    /// Whether a batch receive may ask the receiver itself: coalesced receive is on, nothing is staged, and no call
    /// waits for a pulse.
    /// </summary>
    public bool IsDirect => _isDirect;

    /// <summary>
    /// Whether one call may take several datagrams: from the first on a ring, elsewhere since
    /// <see cref="BeginBatches"/>. It changes under <see cref="SyncRoot"/>, and only to true.
    /// </summary>
    public bool CanTakeSeveral { get; private set; } = receiver.Traits.TakesSeveral;

    /// <summary>The one lock of all single receives.</summary>
    public object SyncRoot { get; } = context.Counters.StagingLock;

    /// <summary>
    /// Whether datagrams that an earlier call took from the kernel are staged here. The kernel reports no event for
    /// them.
    /// </summary>
    public bool HasStaged => Volatile.Read(ref _staged) is not null;

    /// <summary>
    /// Switches coalesced receive on, if the socket has it and it is not on yet: from now on one call may take several
    /// datagrams.
    /// </summary>
    public void BeginBatches()
    {
        if (CanTakeSeveral) return;
        lock (SyncRoot)
        {
            if (CanTakeSeveral || context.IsClosed) return;
            Debug.Assert(_staged is null && !_isDirect, "Before the switch, receives take single datagrams only.");
            SocketSetup.TryEnableCoalescedReceive(context.Socket);
            CanTakeSeveral = true;
            _isDirect = Volatile.Read(ref KernelWaitCount) == 0;
        }
    }

    /// <inheritdoc cref="Receiver.ReceiveOne"/>
    public ReceiveStatus ReceiveOne(Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram)
    {
        receiver.RequireOwner();
        var deadline = new Deadline(context.Options.TimeProvider, timeoutMilliseconds);
        ReceiveBackOff backOff = default;
        while (true)
        {
            ReceiveStatus status;
            lock (SyncRoot)
            {
                if (TryEndOne(buffer, deadline, out status, out datagram)) return status;
            }

            // Outside the lock, so that a call that waits never delays a call that must not wait.
            if (status == Receiver.RetryLater)
            {
                // The receive failed although the socket is readable. A wait would end at once, so pause instead.
                context.Pause(
                    Deadline.Shorter(deadline.RemainingMilliseconds, backOff.NextPauseMilliseconds()));
                continue;
            }

            backOff.OnEmpty();
            status = WaitReadable(deadline.RemainingMilliseconds);
            if (status != ReceiveStatus.Received) return status;
        }
    }

    /// <summary>
    /// Receives a batch, first from the staged datagrams. For batch receives while not <see cref="IsDirect"/>.
    /// </summary>
    public ReceiveStatus ReceiveBatch(ReceiveSlots slots, int timeoutMilliseconds)
    {
        if (TryTakeStaged(slots)) return ReceiveStatus.Received;
        if (timeoutMilliseconds == 0) return receiver.Receive(slots, timeoutMilliseconds: 0);
        receiver.RequireOwner();
        var deadline = new Deadline(context.Options.TimeProvider, timeoutMilliseconds);
        lock (SyncRoot)
        {
            while (true)
            {
                if (TryTakeStaged(slots))
                {
                    WakeNext();
                    return ReceiveStatus.Received;
                }

                timeoutMilliseconds = deadline.RemainingMilliseconds;
                if (timeoutMilliseconds == 0 || !MustLeaveKernelAlone()) break;
                WaitForPulse(timeoutMilliseconds);
            }

            // Nothing is staged, so later batch receives go straight to the receiver again. A call that waits for a
            // pulse has to look once more, and ends that.
            _isDirect = true;
            Monitor.PulseAll(SyncRoot);
            Interlocked.Increment(ref KernelWaitCount);
        }

        try
        {
            return receiver.Receive(slots, timeoutMilliseconds);
        }
        finally
        {
            LeaveKernel();
        }
    }

    /// <summary>
    /// Wakes one of the calls that left the kernel alone. Called when the last call comes out of the kernel, and when a
    /// call ends that may have used up such a wake-up: so one of the others looks, as long as some wait.
    /// </summary>
    public void WakeNext()
    {
        lock (SyncRoot)
        {
            if (_waitingCount > 0) Monitor.Pulse(SyncRoot);
        }
    }

    /// <summary>Moves the staged datagrams into a batch, by copying. False if there are none.</summary>
    public bool TryTakeStaged(ReceiveSlots target)
    {
        if (!HasStaged) return false;
        receiver.RequireOwner();
        lock (SyncRoot)
        {
            if (_staged is null) return false;
            target.Begin();
            target.HasInfo = _staged.HasInfo;
            int count = 0;
            int cutCount = 0;
            for (; _staged is not null && count < target.SlotCount; count++)
            {
                ref readonly ReceiveSlot slot = ref NextSlot(out Span<byte> payload);
                Span<byte> kept = payload[..Math.Min(payload.Length, target.SlotBytes)];
                bool isCut = kept.Length < payload.Length;
                Copy(kept, slot, isCut, target, count);

                // A staged datagram that was already truncated was counted when it was received.
                if (isCut && !slot.IsTruncated) cutCount++;
                if (target.HasInfo) target.InfoForWriting[count] = _staged.InfoOf(slot.SlotIndex);
                Step(payload.Length);
            }

            target.Complete(count);
            target.OnPeersReplaced();
            if (cutCount > 0) context.Counters.CountTruncated(cutCount);
            return true;
        }
    }

    /// <summary>Drops the staged datagrams, which count as unread. Called after the last call has returned.</summary>
    public void Close()
    {
        Debug.Assert(Volatile.Read(ref KernelWaitCount) == 0);
        lock (SyncRoot)
        {
            context.Counters.EndStaging();
            if (_staged is not null) GiveBack(_staged);
            _staged = null;
        }
    }

    /// <summary>
    /// Tries to receive for a call, or sleeps until another call wakes it. Returns false if the caller must wait in the
    /// kernel, as which it is counted, or must pause (<see cref="Receiver.RetryLater"/>). Called under the lock.
    /// </summary>
    private bool TryEndOne(
        Span<byte> buffer, in Deadline deadline, out ReceiveStatus status, out ReceivedDatagram datagram)
    {
        bool goesToKernel = false;
        try
        {
            while (true)
            {
                status = TryReceiveOne(buffer, out datagram);
                int remainingMilliseconds = deadline.RemainingMilliseconds;
                if (!Receiver.IsEmpty(status) || remainingMilliseconds == 0) return true;
                if (status == Receiver.RetryLater) return false;
                if (!MustLeaveKernelAlone()) break;
                WaitForPulse(remainingMilliseconds);
            }

            goesToKernel = true;
            Interlocked.Increment(ref KernelWaitCount);
            return false;
        }
        finally
        {
            if (!goesToKernel) WakeNext();
        }
    }

    private void WaitForPulse(int timeoutMilliseconds)
    {
        _waitingCount++;
        Monitor.Wait(SyncRoot, timeoutMilliseconds);
        _waitingCount--;
    }

    private ReceiveStatus TryReceiveOne(Span<byte> buffer, out ReceivedDatagram datagram)
    {
        Debug.Assert(Monitor.IsEntered(SyncRoot), "Coalesced receive must not begin during the call.");
        if (!CanTakeSeveral) return receiver.ReceiveOne(buffer, timeoutMilliseconds: 0, out datagram);
        datagram = default;
        if (_staged is null)
        {
            if (MustLeaveKernelAlone()) return ReceiveStatus.TimedOut;
            if (!TryStage(out ReceiveStatus status)) return status;
        }

        datagram = TakeOne(buffer);
        return ReceiveStatus.Received;
    }

    /// <summary>
    /// Whether another call waits in the kernel, so that the next datagrams belong to that call. Ends the direct batch
    /// receives, because the caller is about to stage datagrams or to wait for them, and they would notice neither.
    /// </summary>
    private bool MustLeaveKernelAlone()
    {
        Debug.Assert(Monitor.IsEntered(SyncRoot));
        if (_isDirect)
        {
            // With the barrier, either this call sees that a batch receive has counted itself and is about to wait in
            // the kernel, or that receive sees that it must not.
            _isDirect = false;
            Interlocked.MemoryBarrier();
        }

        return Volatile.Read(ref KernelWaitCount) > 0;
    }

    private void LeaveKernel()
    {
        int count = Interlocked.Decrement(ref KernelWaitCount);
        Debug.Assert(count >= 0, "A call left the kernel that had not counted itself.");
        if (count == 0) WakeNext();
    }

    private ReceiveStatus WaitReadable(int timeoutMilliseconds)
    {
        try
        {
            return receiver.WaitReadable(timeoutMilliseconds);
        }
        finally
        {
            LeaveKernel();
        }
    }

    private bool TryStage(out ReceiveStatus status)
    {
        Debug.Assert(
            CanTakeSeveral && !_isDirect, "A batch receive that asks the receiver itself would miss staged datagrams.");
        if (!_pool.TryDequeue(out ReceiveSlots? slots)) slots = receiver.CreateSlots(SlotCount, SlotBytes);
        try
        {
            status = receiver.Receive(slots, timeoutMilliseconds: 0);
            if (status != ReceiveStatus.Received) return false;
            _staged = slots;
        }
        finally
        {
            // Returns the slots to the pool also after an exception: a receive may throw because nobody listens at the
            // peer's port.
            if (_staged is null) GiveBack(slots);
        }

        _nextIndex = 0;
        context.Counters.Stage(slots.Count, slots.ByteCount);
        return true;
    }

    private ReceivedDatagram TakeOne(Span<byte> buffer)
    {
        ref readonly ReceiveSlot slot = ref NextSlot(out Span<byte> payload);
        int lengthBytes = Math.Min(payload.Length, buffer.Length);
        payload[..lengthBytes].CopyTo(buffer);
        bool isCut = lengthBytes < payload.Length;
        if (isCut && !slot.IsTruncated) context.Counters.CountTruncated(1);
        var datagram = new ReceivedDatagram(
            lengthBytes, isCut || slot.IsTruncated, slot.Peer, _staged!.InfoOf(slot.SlotIndex));
        Step(payload.Length);
        return datagram;
    }

    private static void Copy(
        ReadOnlySpan<byte> payload, in ReceiveSlot from, bool isCut, ReceiveSlots target, int slotIndex)
    {
        ref ReceiveSlot to = ref target.All[slotIndex];
        target.Store(slotIndex, payload);
        to.Peer = from.Peer;
        to.LengthBytes = payload.Length;
        to.OffsetBytes = 0;
        to.SegmentBytes = 0;
        to.IsTruncated = isCut || from.IsTruncated;
    }

    private ref readonly ReceiveSlot NextSlot(out Span<byte> payload)
    {
        ref readonly ReceiveSlot slot = ref _staged!.Locate(_nextIndex, out int offsetBytes, out int lengthBytes);
        payload = _staged.ArrayOf(slot.SlotIndex).AsSpan(offsetBytes, lengthBytes);
        return ref slot;
    }

    private void Step(int lengthBytes)
    {
        context.Counters.Unstage(lengthBytes);
        if (++_nextIndex < _staged!.Count) return;
        GiveBack(_staged);
        _staged = null;
    }

    private void GiveBack(ReceiveSlots slots)
    {
        if (_pool.Count < MaxPooledCount) _pool.Enqueue(slots);
    }
}
