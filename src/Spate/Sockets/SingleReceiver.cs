using System.Collections.Concurrent;
using Spate.Buffers;

namespace Spate.Sockets;

/// <summary>
/// Receives single datagrams from a receiver that may take several at once. The selector wraps such receivers in this
/// class, which receives a batch and returns its datagrams one by one. So no datagram of a coalesced buffer is lost,
/// even if the caller's buffer is small. The batch is borrowed from a pool only while it contains datagrams, so ten
/// thousand idle sockets need no batch. Until the socket's first single receive, a batch receive calls the inner
/// receiver directly, which waits in the system; this costs only two more interlocked operations. From then on, single
/// and batch receives wait in one queue under a lock, because a call that waits in the system cannot be woken for
/// datagrams that are staged here.
/// </summary>
/// <param name="inner">The receiver that may take several datagrams at once.</param>
/// <param name="context">The socket's context.</param>
/// <param name="pool">Unused slots of the inner receiver's backend, shared by the sockets of the process.</param>
internal sealed class SingleReceiver(Receiver inner, SocketContext context, ConcurrentQueue<ReceiveSlots> pool)
    : Receiver(context, inner.Traits)
{
    private const int MaxPooledCount = 64;

    // One call takes at most eight coalesced buffers: more would only be staged here and copied later.
    private const int SlotCount = 8;
    private const int SlotBytes = 65_535;

    private readonly object _lock = context.Counters.StagingLock;
    private volatile bool _isShared;
    private int _directCount;
    private bool _hasLeader;
    private ReceiveSlots? _staged;
    private int _nextIndex;

    /// <inheritdoc/>
    public override bool HasStaged => Volatile.Read(ref _staged) is not null;

    /// <summary>
    /// Whether another call waits in the system for the next datagrams, so that this call must not receive or wait in
    /// the system itself. Read under the lock.
    /// </summary>
    private bool MustLeave => _hasLeader || Volatile.Read(ref _directCount) > 0;

    /// <inheritdoc/>
    public override bool Prefetch() => HasStaged | inner.Prefetch();

    /// <inheritdoc/>
    public override ReceiveSlots CreateSlots(int slotCount, int slotBytes, int firstBytes) =>
        inner.CreateSlots(slotCount, slotBytes, firstBytes);

    /// <inheritdoc/>
    public override ReceiveStatus Receive(ReceiveSlots slots, int timeoutMilliseconds)
    {
        if (HasStaged)
        {
            inner.RequireOwner();
            if (TryMoveInto(slots)) return ReceiveStatus.Received;
        }

        if (timeoutMilliseconds != 0)
        {
            if (!_isShared && TryReceiveDirectly(slots, timeoutMilliseconds, out ReceiveStatus status)) return status;
            inner.RequireOwner();
            return ReceiveInTurn(slots, default, timeoutMilliseconds, out _);
        }

        return inner.Receive(slots, timeoutMilliseconds: 0);
    }

    /// <inheritdoc/>
    public override ReceiveStatus ReceiveOne(
        Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram)
    {
        inner.RequireOwner();
        if (!_isShared)
        {
            // With the barrier, either this call sees that a batch call has counted itself (_directCount) and is about
            // to wait in the system, or that batch call sees _isShared.
            _isShared = true;
            Interlocked.MemoryBarrier();
        }

        return ReceiveInTurn(null, buffer, timeoutMilliseconds, out datagram);
    }

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
        lock (_lock)
        {
            Context.Counters.EndStaging();
            if (_staged is not null) GiveBack(_staged);
            _staged = null;
        }

        inner.Close();
    }

    // Receives a batch without the queue of calls. False: a single receive has begun, so the batch call must use the
    // queue.
    private bool TryReceiveDirectly(ReceiveSlots slots, int timeoutMilliseconds, out ReceiveStatus status)
    {
        status = ReceiveStatus.TimedOut;
        Interlocked.Increment(ref _directCount);
        try
        {
            if (_isShared) return false;
            status = inner.Receive(slots, timeoutMilliseconds);
            return true;
        }
        finally
        {
            if (Interlocked.Decrement(ref _directCount) == 0 && _isShared)
            {
                lock (_lock) Monitor.PulseAll(_lock);
            }
        }
    }

    // If several calls wait, one of them is the leader, which waits in the system for all of them. The leader only
    // waits there and does not receive: otherwise it could sleep again while datagrams that it received are staged
    // here. Batch calls that began to wait in the system before the first single receive count as leaders too, and they
    // take the next datagrams.
    private ReceiveStatus ReceiveInTurn(
        ReceiveSlots? slots, Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram)
    {
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        ReceiveBackOff backOff = default;
        while (true)
        {
            lock (_lock)
            {
                try
                {
                    if (TryEndCall(slots, buffer, deadline, out ReceiveStatus status, out datagram)) return status;
                }
                catch
                {
                    // This call may have used up a wake-up that was meant for another call, so wake the other calls.
                    Monitor.PulseAll(_lock);
                    throw;
                }
            }

            ReceiveStatus ready = WaitAsLeader(deadline.RemainingMilliseconds, ref backOff);
            if (ready != ReceiveStatus.Received) return ready;
        }
    }

    /// <summary>
    /// Tries to receive for a call, or sleeps until another call wakes it. True: the call ends with the status. False:
    /// the caller is now the leader and must wait in the system. Called under the lock.
    /// </summary>
    private bool TryEndCall(
        ReceiveSlots? slots,
        Span<byte> buffer,
        in Deadline deadline,
        out ReceiveStatus status,
        out ReceivedDatagram datagram)
    {
        datagram = default;
        while (true)
        {
            status = ReceiveStatus.TimedOut;
            if (slots is not null && TryMoveInto(slots)) status = ReceiveStatus.Received;
            else if (_staged is null && MustLeave) status = ReceiveStatus.TimedOut;
            else if (slots is not null) status = inner.Receive(slots, timeoutMilliseconds: 0);
            else if (TryStage(out status)) datagram = TakeOne(buffer);
            int remainingMilliseconds = deadline.RemainingMilliseconds;
            if (status != ReceiveStatus.TimedOut || remainingMilliseconds == 0)
            {
                // Wakes the next call, so that it also checks for the event that woke this call.
                Monitor.Pulse(_lock);
                return true;
            }

            if (!MustLeave)
            {
                _hasLeader = true;
                return false;
            }

            Monitor.Wait(_lock, remainingMilliseconds);
        }
    }

    // Waits outside the lock, so that a call that waits never delays a call that must not wait.
    private ReceiveStatus WaitAsLeader(int timeoutMilliseconds, ref ReceiveBackOff backOff)
    {
        try
        {
            if (Context.RetryReceiveLater)
            {
                // The last receive failed although the socket is readable. A wait would end at once, so pause instead.
                Context.RetryReceiveLater = false;
                Context.Pause(Deadline.Shorter(timeoutMilliseconds, backOff.NextPauseMilliseconds()));
                return ReceiveStatus.Received;
            }

            return inner.WaitReadable(timeoutMilliseconds);
        }
        finally
        {
            lock (_lock)
            {
                _hasLeader = false;
                Monitor.Pulse(_lock);
            }
        }
    }

    /// <summary>
    /// Moves the staged datagrams into a batch by copying; needed only if single and batch receives are mixed.
    /// </summary>
    private bool TryMoveInto(ReceiveSlots target)
    {
        lock (_lock)
        {
            if (_staged is null) return false;
            target.Begin();
            target.HasInfo = _staged.HasInfo;
            int count = 0;
            int cutCount = 0;
            while (_staged is not null && count < target.SlotCount)
            {
                ref readonly ReceiveSlot slot = ref NextSlot(out Span<byte> payload);
                Span<byte> kept = payload[..Math.Min(payload.Length, target.SlotBytes)];
                bool isCut = kept.Length < payload.Length;
                target.CopyInto(count, kept, slot.Peer, isCut || slot.IsTruncated);

                // A staged datagram that was already truncated was counted when it was received.
                if (isCut && !slot.IsTruncated) cutCount++;
                if (target.HasInfo) target.InfoForWriting[count] = _staged.InfoOf(slot.SlotIndex);
                count++;
                Step(payload.Length);
            }

            target.Complete(count, wasCopied: true);
            if (cutCount > 0) Context.Counters.CountTruncated(cutCount);
            return true;
        }
    }

    private bool TryStage(out ReceiveStatus status)
    {
        status = ReceiveStatus.Received;
        if (_staged is not null) return true;
        if (!pool.TryDequeue(out ReceiveSlots? slots)) slots = inner.CreateSlots(SlotCount, SlotBytes);
        bool isStaged = false;
        try
        {
            status = inner.Receive(slots, timeoutMilliseconds: 0);
            isStaged = status == ReceiveStatus.Received;
        }
        finally
        {
            // Returns the slots to the pool also after an exception: a receive may throw because nobody listens at the
            // peer's port.
            if (!isStaged) GiveBack(slots);
        }

        if (!isStaged) return false;
        _staged = slots;
        _nextIndex = 0;
        Context.Counters.Stage(slots.Count, slots.ByteCount);
        return true;
    }

    private ReceivedDatagram TakeOne(Span<byte> buffer)
    {
        ref readonly ReceiveSlot slot = ref NextSlot(out Span<byte> payload);
        int lengthBytes = Math.Min(payload.Length, buffer.Length);
        payload[..lengthBytes].CopyTo(buffer);
        bool isCut = lengthBytes < payload.Length;
        if (isCut && !slot.IsTruncated) Context.Counters.CountTruncated(1);
        var datagram = new ReceivedDatagram(
            lengthBytes, isCut || slot.IsTruncated, slot.Peer, _staged!.InfoOf(slot.SlotIndex));
        Step(payload.Length);
        return datagram;
    }

    private ref readonly ReceiveSlot NextSlot(out Span<byte> payload)
    {
        ref readonly ReceiveSlot slot = ref _staged!.Locate(_nextIndex, out int offsetBytes, out int lengthBytes);
        payload = _staged.ArrayOf(slot.SlotIndex).AsSpan(offsetBytes, lengthBytes);
        return ref slot;
    }

    private void Step(int lengthBytes)
    {
        Context.Counters.Unstage(lengthBytes);
        if (++_nextIndex < _staged!.Count) return;
        GiveBack(_staged);
        _staged = null;
    }

    private void GiveBack(ReceiveSlots slots)
    {
        if (pool.Count < MaxPooledCount) pool.Enqueue(slots);
    }
}
