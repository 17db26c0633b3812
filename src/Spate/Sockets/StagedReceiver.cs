using System.Collections.Concurrent;

namespace Spate.Sockets;

/// <summary>
/// Single-datagram receives on sockets whose buffers may hold several: a batch is received and handed out one by one,
/// so a train that arrives for small buffers loses nothing. The batch is borrowed from a pool of the process only while
/// it holds datagrams, so ten thousand idle sockets hold none. Any number of threads may call.
/// Batch receives pass through with two interlocked operations and wait in the system for themselves until the first
/// single receive of the socket; from then on both wait in one line under a lock, since nothing could wake a call in
/// the system for what lies here.
/// </summary>
internal sealed class StagedReceiver(DatagramBackend backend, SocketContext context)
{
    private const int SlotBytes = 65_535;
    private const int PoolCountMax = 64;

    // Portable receives cost a call per datagram either way, so one slot; a coalescing backend gets eight trains a
    // call.
    private static readonly ConcurrentQueue<ReceiveBatch> PortablePool = new();
    private static readonly ConcurrentQueue<ReceiveBatch> CoalescingPool = new();
    private static readonly ConcurrentQueue<ReceiveBatch> RingPool = new();

    private readonly object _lock = new();
    private readonly bool _keepsRest = backend.Kind != UdpBackend.Portable;
    private volatile bool _isShared;
    private int _directCount;
    private bool _hasLeader;
    private ReceiveBatch? _batch;
    private int _nextIndex;

    private ConcurrentQueue<ReceiveBatch> Pool => backend.Kind == UdpBackend.Uring ? RingPool
        : backend.CoalescedReceive ? CoalescingPool : PortablePool;

    /// <summary>Whether datagrams are waiting here, which a batch receive must take first.</summary>
    public bool HasAny => Volatile.Read(ref _batch) is not null;

    /// <summary>One datagram.</summary>
    public ReceiveStatus Receive(Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram)
    {
        if (_keepsRest && !_isShared)
        {
            // Either this sees a batch call that is about to wait in the system, or that one sees this.
            _isShared = true;
            Interlocked.MemoryBarrier();
        }

        return ReceiveInTurn(null, buffer, timeoutMilliseconds, out datagram);
    }

    /// <summary>A batch, of what waits here or else of the system's.</summary>
    public ReceiveStatus Receive(ReceiveBatch target, int timeoutMilliseconds)
    {
        if (HasAny)
        {
            backend.RequireOwner();
            if (TryMoveInto(target)) return ReceiveStatus.Received;
        }

        if (timeoutMilliseconds == 0 || !_keepsRest) return backend.Receive(target, timeoutMilliseconds);
        if (!_isShared && TryReceiveDirectly(target, timeoutMilliseconds, out ReceiveStatus status)) return status;
        backend.RequireOwner();
        return ReceiveInTurn(target, default, timeoutMilliseconds, out _);
    }

    // False: a single receive came in between.
    private bool TryReceiveDirectly(ReceiveBatch target, int timeoutMilliseconds, out ReceiveStatus status)
    {
        status = ReceiveStatus.TimedOut;
        Interlocked.Increment(ref _directCount);
        try
        {
            if (_isShared) return false;
            status = backend.Receive(target, timeoutMilliseconds);
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

    // Of several calls that wait, one waits in the system for all of them and nobody takes from the system what it was
    // woken by: the system would put it to sleep again, with the rest of a train lying here. The same goes for batch
    // calls that began to wait there before the first single receive: the next datagrams are theirs.
    private ReceiveStatus ReceiveInTurn(
        ReceiveBatch? target, Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram)
    {
        var deadline = new Deadline(context.Options.TimeProvider, timeoutMilliseconds);
        ReceiveBackOff backOff = default;
        while (true)
        {
            lock (_lock)
            {
                try
                {
                    if (TryEndTurn(target, buffer, deadline, out ReceiveStatus status, out datagram)) return status;
                }
                catch
                {
                    // A batch that is disposed, say. Whoever this call was woken for must not sleep on.
                    Monitor.PulseAll(_lock);
                    throw;
                }
            }

            ReceiveStatus ready = WaitAsLeader(deadline.RemainingMilliseconds, ref backOff);
            if (ready != ReceiveStatus.Received) return ready;
        }
    }

    /// <summary>Under the lock. False: the caller is the leader now, and waits in the system.</summary>
    private bool TryEndTurn(
        ReceiveBatch? target,
        Span<byte> buffer,
        in Deadline deadline,
        out ReceiveStatus status,
        out ReceivedDatagram datagram)
    {
        datagram = default;
        while (true)
        {
            status = ReceiveStatus.TimedOut;
            if (target is not null && TryMoveInto(target)) status = ReceiveStatus.Received;
            else if (_batch is null && MustLeave) status = ReceiveStatus.TimedOut;
            else if (target is not null) status = backend.Receive(target, timeoutMilliseconds: 0);
            else if (TryRefill(out status)) datagram = Take(buffer);
            int remainingMilliseconds = deadline.RemainingMilliseconds;
            if (status != ReceiveStatus.TimedOut || remainingMilliseconds == 0)
            {
                // Whatever this call was told of, the next one has to look after.
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

    /// <summary>
    /// Moves what waits here into a batch, by copying; only where single and batch receives are mixed.
    /// </summary>
    public bool TryMoveInto(ReceiveBatch target)
    {
        lock (_lock)
        {
            if (_batch is null) return false;
            target.BeginFill();
            target.HasInfo = _batch.HasInfo;
            int count = 0;
            int cutCount = 0;
            while (_batch is not null && count < target.SlotCount)
            {
                Datagram datagram = _batch[_nextIndex];
                ref Buffers.ReceiveSlot slot = ref target.Slots[count];
                int lengthBytes = Math.Min(datagram.Payload.Length, target.SlotBytes);
                datagram.Payload[..lengthBytes].CopyTo(target.OwnBufferOf(count).Array);
                slot.Peer = datagram.Peer;
                slot.LengthBytes = lengthBytes;
                slot.SegmentBytes = 0;
                bool isCut = lengthBytes < datagram.Payload.Length;
                slot.Truncated = isCut || datagram.Truncated;

                // One that was cut off before was counted then.
                if (isCut && !datagram.Truncated) cutCount++;
                if (target.HasInfo) target.InfoForWriting[count] = datagram.Info;
                count++;
                Step();
            }

            target.NotePeersWritten();
            target.EndFill(count, out _);
            if (cutCount > 0) context.Counters.CountTruncated(cutCount);
            return true;
        }
    }

    /// <summary>Drops what waits here; after Close.</summary>
    public void Clear()
    {
        lock (_lock)
        {
            if (_batch is not null) GiveBack(_batch);
            _batch = null;
        }
    }

    // Outside the lock, so that a call that may not wait is never held up by one that does.
    private ReceiveStatus WaitAsLeader(int timeoutMilliseconds, ref ReceiveBackOff backOff)
    {
        try
        {
            if (context.RetryReceiveLater)
            {
                // A receive that failed although something is there would find it readable at once, again and again.
                context.RetryReceiveLater = false;
                context.Pause(Deadline.Shorter(timeoutMilliseconds, backOff.NextPauseMilliseconds()));
                return ReceiveStatus.Received;
            }

            return backend.WaitReadable(timeoutMilliseconds);
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

    /// <summary>Under the lock: whether what comes to the system is another call's to take.</summary>
    private bool MustLeave => _hasLeader || Volatile.Read(ref _directCount) > 0;

    private bool TryRefill(out ReceiveStatus status)
    {
        status = ReceiveStatus.Received;
        if (_batch is not null) return true;
        if (!Pool.TryDequeue(out ReceiveBatch? batch))
            batch = new ReceiveBatch(backend.Kind, backend.Kind == UdpBackend.Portable ? 1 : 8, SlotBytes);
        status = backend.Receive(batch, timeoutMilliseconds: 0);
        if (status == ReceiveStatus.Received)
        {
            _batch = batch;
            _nextIndex = 0;
        }
        else
        {
            GiveBack(batch);
        }

        return status == ReceiveStatus.Received;
    }

    private ReceivedDatagram Take(Span<byte> buffer)
    {
        Datagram datagram = _batch![_nextIndex];
        int lengthBytes = Math.Min(datagram.Payload.Length, buffer.Length);
        datagram.Payload[..lengthBytes].CopyTo(buffer);
        bool cut = lengthBytes < datagram.Payload.Length;
        if (cut && !datagram.Truncated) context.Counters.CountTruncated(1);
        var result = new ReceivedDatagram(lengthBytes, cut || datagram.Truncated, datagram.Peer, datagram.Info);
        Step();
        return result;
    }

    private void Step()
    {
        if (++_nextIndex < _batch!.Count) return;
        GiveBack(_batch);
        _batch = null;
    }

    private void GiveBack(ReceiveBatch batch)
    {
        if (Pool.Count < PoolCountMax) Pool.Enqueue(batch);
    }
}
