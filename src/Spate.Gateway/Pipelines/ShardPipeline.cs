namespace Spate.Gateway.Pipelines;

/// <summary>
/// What belongs to one shard: its packs, its window and its counts. The shard's thread puts full packs in, the
/// publisher takes them out, and the link tells what became of them. One lock guards all of it; the shard's thread
/// takes it once per batch and once per pack.
/// </summary>
internal sealed partial class ShardPipeline(PipelinePlan plan, int shardIndex)
{
    private readonly Lock _lock = new();
    private readonly PackPool _pool = new(plan.PackCount, plan.PackBytes);
    private readonly ConfirmWindow _window = new(plan.ConfirmWindowCapacity);
    private readonly PipelineLedger _ledger = new(plan.PartitionCount);
    private readonly Queue<PackBuffer> _waiting = [];
    private readonly int[] _openCounts = new int[plan.PartitionCount];
    private readonly List<PackBuffer> _committed = [];
    private int _waitingCount;
    private long _waitingDatagrams;
    private PipelineWriter? _writer;
    private PipelineAccounting? _accounting;
    private long _abandonedInDoubt;
    private bool _isComplete;
    private bool _isOver;
    private bool _isFinished;

    public int ShardIndex => shardIndex;

    /// <summary>Set when there may be something to publish, or to stop for.</summary>
    public AsyncSignal Signal { get; } = new();

    /// <summary>Whether full packs wait to be published. Any thread may read it.</summary>
    public bool HasWaiting => Volatile.Read(ref _waitingCount) > 0;

    /// <summary>What the pipeline's messages begin with, known from <see cref="Open"/> on.</summary>
    public PipelineWriter Writer => _writer!;

    /// <summary>
    /// The shard has begun, so that its ports are known. Before anything else, and before the publisher starts.
    /// </summary>
    public void Open(IReadOnlyList<UdpEndPoint> localEndPoints)
    {
        lock (_lock)
        {
            _writer = new PipelineWriter(plan, shardIndex, localEndPoints);
            _accounting = new PipelineAccounting(plan, _writer, _ledger);
        }
    }

    /// <summary>
    /// A buffer for a new pack of a partition, or null: the next datagrams of it are dropped. For the shard's thread.
    /// </summary>
    public PackBuffer? TakeBuffer(int partition)
    {
        // Read without the lock, so that a flood for which there is no memory costs no lock per datagram.
        bool mayReclaim = plan.FullMode == GatewayFullMode.DropOldest && HasWaiting;
        if (_ledger[partition].IsFull || (_pool.FreeCount == 0 && !mayReclaim)) return null;
        lock (_lock) return _pool.TryTake() ?? (mayReclaim ? Reclaim() : null);
    }

    /// <summary>
    /// Takes over what the shard's thread has counted since the last time. For the shard's thread, at the end of a
    /// batch.
    /// </summary>
    public void Fold(PackSlot[] slots, long notAllowed)
    {
        lock (_lock)
        {
            foreach (PackSlot slot in slots) FoldInLock(slot);
            _ledger.Refuse(notAllowed);
        }
    }

    /// <summary>As <see cref="Fold(PackSlot[], long)"/> for one partition, when its run of drops changes.</summary>
    public void Fold(PackSlot slot)
    {
        lock (_lock) FoldInLock(slot);
    }

    /// <summary>Takes over the slot's pack, which is full or has waited long enough. For the shard's thread.</summary>
    public void Submit(PackSlot slot)
    {
        lock (_lock)
        {
            FoldInLock(slot);
            PackBuffer pack = slot.Open!;
            slot.Open = null;
            _openCounts[slot.Partition] = 0;
            if (_isOver)
            {
                DropInLock(pack, GatewayDropReason.Shutdown);
                return;
            }

            _waiting.Enqueue(pack);
            _waitingDatagrams += pack.Count;
            Volatile.Write(ref _waitingCount, _waiting.Count);
        }

        Signal.Set();
    }

    /// <summary>
    /// Nothing more will be submitted: what is there is published, then the accounting messages that end the keys.
    /// </summary>
    public void Complete()
    {
        lock (_lock) _isComplete = true;
        Signal.Set();
    }

    /// <summary>
    /// The time is over: what was never published is dropped, and what the broker refused. What is on its way may
    /// still be confirmed until <see cref="Finish"/>, and the accounting messages that end the keys leave.
    /// </summary>
    public void GiveUp()
    {
        lock (_lock)
        {
            _isComplete = true;
            _isOver = true;
            while (TryDequeue() is { } pack) DropInLock(pack, GatewayDropReason.Shutdown);
            _accounting?.End();
            PackBuffer[] again = _window.GiveUpAgain();
            foreach (PackBuffer pack in again)
            {
                if (pack.IsEnd) _accounting!.EndAgain(pack.Partition);
            }

            AbandonInLock(again);
        }

        Signal.Set();
    }

    /// <summary>The last call: what is not settled by now stays in doubt.</summary>
    public void Finish()
    {
        lock (_lock)
        {
            _isComplete = true;
            _isOver = true;
            _isFinished = true;
            while (TryDequeue() is { } pack) DropInLock(pack, GatewayDropReason.Shutdown);
            _window.Lose();
            AbandonInLock(_window.GiveUpAgain());
        }

        Signal.Set();
    }

    private void FoldInLock(PackSlot slot)
    {
        KeyCounts key = _ledger[slot.Partition];
        key.Accept(slot.Next);
        key.Drop(slot.DropFirst, slot.DropCount, slot.DropReason);
        slot.ClearDrops();
        _openCounts[slot.Partition] = slot.OpenCount;
    }

    private PackBuffer? TryDequeue()
    {
        if (!_waiting.TryDequeue(out PackBuffer? pack)) return null;
        _waitingDatagrams -= pack.Count;
        Volatile.Write(ref _waitingCount, _waiting.Count);
        return pack;
    }

    // The buffer of the oldest pack that was never published. Its datagrams become a dropped range.
    private PackBuffer? Reclaim()
    {
        if (!_waiting.TryPeek(out PackBuffer? oldest) || _ledger[oldest.Partition].IsFull) return null;
        DropInLock(TryDequeue()!, GatewayDropReason.WindowFull);
        return _pool.TryTake();
    }

    private void DropInLock(PackBuffer pack, GatewayDropReason reason)
    {
        _ledger[pack.Partition].Drop(pack.FirstSequence, pack.Count, reason);
        Free(pack);
    }

    private void AbandonInLock(PackBuffer[] packs)
    {
        foreach (PackBuffer pack in packs)
        {
            if (pack.RefusalCount > 0 && !pack.IsInDoubt)
            {
                DropInLock(pack, GatewayDropReason.Refused);
                continue;
            }

            // A pack without a refusal that goes again was published on a connection that was lost.
            if (pack.IsEnd) _accounting!.EndAgain(pack.Partition);
            _abandonedInDoubt += pack.Count;
            Free(pack);
        }
    }

    private void Free(PackBuffer pack)
    {
        if (pack.IsAccounting) _accounting!.GiveBack(pack);
        else _pool.GiveBack(pack);
    }
}
