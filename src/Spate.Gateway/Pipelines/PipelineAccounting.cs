using Spate.Gateway.Format;

namespace Spate.Gateway.Pipelines;

/// <summary>
/// Which accounting messages of a pipeline are due: one before the first records of each partition, one every second,
/// one at the end. Under the pipeline's lock.
/// </summary>
internal sealed class PipelineAccounting
{
    private readonly PipelineWriter _writer;
    private readonly PipelineLedger _ledger;
    private readonly Stack<PackBuffer>[] _free;
    private readonly Queue<PackBuffer> _begins = [];
    private readonly bool[] _isDue;
    private readonly bool[] _hasEnded;
    private long _kernelDrops;
    private UdpDropUnit _kernelDropUnit;
    private bool _isEnding;

    public PipelineAccounting(PipelinePlan plan, PipelineWriter writer, PipelineLedger ledger)
    {
        _writer = writer;
        _ledger = ledger;
        _isDue = new bool[plan.PartitionCount];
        _hasEnded = new bool[plan.PartitionCount];
        _free = new Stack<PackBuffer>[plan.PartitionCount];
        for (int partition = 0; partition < _free.Length; partition++)
        {
            _free[partition] = new Stack<PackBuffer>(PipelinePlan.AccountingBuffersPerPartition);
            for (int i = 0; i < PipelinePlan.AccountingBuffersPerPartition; i++)
            {
                _free[partition].Push(
                    new PackBuffer(plan.AccountingBytes) { IsAccounting = true, Partition = partition });
            }

            // Written now, because nothing is accepted yet, and published before anything else.
            PackBuffer begin = _free[partition].Pop();
            _writer.WriteAccountingMessage(begin, PackFlags.Begin, _ledger[partition], new AccountingTotals());
            _begins.Enqueue(begin);
        }
    }

    /// <summary>Whether the last accounting message of every partition has been written.</summary>
    public bool IsEnded => Array.TrueForAll(_hasEnded, hasEnded => hasEnded);

    /// <summary>An accounting message is due for every partition.</summary>
    public void Heartbeat(long kernelDrops, UdpDropUnit unit)
    {
        _kernelDrops = kernelDrops;
        _kernelDropUnit = unit;
        Array.Fill(_isDue, true);
    }

    /// <summary>The accounting messages that end the keys are due, once.</summary>
    public void End() => _isEnding = true;

    /// <summary>The end of a partition did not arrive and may be said again.</summary>
    public void EndAgain(int partition) => _hasEnded[partition] = false;

    /// <summary>Writes an accounting message that is due and for which there is a buffer, or returns null.</summary>
    public PackBuffer? TryWrite()
    {
        if (_begins.TryDequeue(out PackBuffer? begin)) return begin;
        for (int partition = 0; partition < _free.Length; partition++)
        {
            if (!IsDue(partition) || !_free[partition].TryPop(out PackBuffer? buffer)) continue;

            // Ranges that do not fit go first, in accounting messages of their own, so that the end has said
            // everything.
            KeyCounts key = _ledger[partition];
            bool isEnd = _isEnding && key.UnsaidCount <= _writer.MaxRanges;
            buffer.IsEnd = isEnd;
            _writer.WriteAccountingMessage(buffer, isEnd ? PackFlags.End : PackFlags.None, key, TotalsOf(partition));
            _isDue[partition] = false;
            _hasEnded[partition] = isEnd;
            return buffer;
        }

        return null;
    }

    public void GiveBack(PackBuffer message)
    {
        message.Reset();
        _free[message.Partition].Push(message);
    }

    private AccountingTotals TotalsOf(int partition)
    {
        KeyCounts key = _ledger[partition];
        bool isFirst = partition == 0;
        return new AccountingTotals
        {
            Committed = (ulong)key.Committed,
            DroppedWindowFull = (ulong)key.DroppedFor(GatewayDropReason.WindowFull),
            DroppedRefused = (ulong)key.DroppedFor(GatewayDropReason.Refused),
            DroppedOversized = (ulong)key.DroppedFor(GatewayDropReason.Oversized),
            DroppedShutdown = (ulong)key.DroppedFor(GatewayDropReason.Shutdown),
            NotAllowed = isFirst ? (ulong)_ledger.NotAllowed : 0,
            KernelDrops = isFirst ? (ulong)Math.Max(0, _kernelDrops) : 0,
            KernelDropUnit = isFirst ? _kernelDropUnit : UdpDropUnit.None,
        };
    }

    private bool IsDue(int partition)
    {
        if (_hasEnded[partition]) return false;
        return _isEnding
            || _isDue[partition]
            || _ledger[partition].UnsaidCount > KeyCounts.MaxUnsaidRanges / 2;
    }
}

/// <summary>
/// What a pipeline has accepted, committed and dropped, by partition. What is on its way is not counted here but in the
/// places where it lies, so that a mistake in either shows as a difference. Under the pipeline's lock.
/// </summary>
internal sealed class PipelineLedger(int partitionCount)
{
    private readonly KeyCounts[] _keys = [.. Enumerable.Range(0, partitionCount).Select(static _ => new KeyCounts())];

    /// <summary>Datagrams that a prefix or a rate kept out; they have no sequence number.</summary>
    public long NotAllowed { get; private set; }

    public KeyCounts this[int partition] => _keys[partition];

    /// <summary>Datagrams read from the socket, those not allowed included.</summary>
    public long Accepted => NotAllowed + _keys.Sum(static key => (long)key.Next);

    public long Committed => _keys.Sum(static key => key.Committed);

    public void Refuse(long count) => NotAllowed += count;

    public long DroppedFor(GatewayDropReason reason) =>
        reason == GatewayDropReason.NotAllowed ? NotAllowed : _keys.Sum(key => key.DroppedFor(reason));
}

/// <summary>
/// What became of the datagrams of one shard and partition, and the ranges of dropped ones that no accounting message
/// has said yet.
/// </summary>
internal sealed class KeyCounts
{
    /// <summary>
    /// With so many unsaid ranges no new pack is begun after a drop, so that dropping goes on in the same range until a
    /// accounting message has left. 4,096 ranges take 96 KiB.
    /// </summary>
    public const int MaxUnsaidRanges = 4096;

    private static readonly int ReasonCount = Enum.GetValues<GatewayDropReason>().Length;

    private readonly long[] _dropped = new long[ReasonCount];
    private readonly List<DroppedRange> _unsaid = [];
    private bool _isFull;

    /// <summary>Datagrams accepted: the next sequence number.</summary>
    public ulong Next { get; private set; }

    public long Committed { get; private set; }

    public int UnsaidCount => _unsaid.Count;

    /// <summary>Whether the ranges are too many. Any thread may read it.</summary>
    public bool IsFull => Volatile.Read(ref _isFull);

    public long DroppedFor(GatewayDropReason reason) => _dropped[(int)reason];

    public void Accept(ulong next) => Next = next;

    public void Commit(int count) => Committed += count;

    /// <summary>Notes dropped datagrams, in the last range if they continue it.</summary>
    public void Drop(ulong first, long count, GatewayDropReason reason)
    {
        if (count == 0) return;
        _dropped[(int)reason] += count;
        if (_unsaid.Count > 0)
        {
            DroppedRange last = _unsaid[^1];
            if (last.Reason == reason && last.First + last.Count == first)
            {
                _unsaid[^1] = last with { Count = last.Count + (ulong)count };
                return;
            }
        }

        _unsaid.Add(new DroppedRange(first, (ulong)count, reason));
        Volatile.Write(ref _isFull, _unsaid.Count >= MaxUnsaidRanges);
    }

    /// <summary>
    /// Moves the first unsaid ranges into an accounting message, as many as fit. Returns their number.
    /// </summary>
    public int TakeUnsaid(Span<DroppedRange> destination)
    {
        int count = Math.Min(destination.Length, _unsaid.Count);
        for (int i = 0; i < count; i++) destination[i] = _unsaid[i];
        _unsaid.RemoveRange(0, count);
        Volatile.Write(ref _isFull, _unsaid.Count >= MaxUnsaidRanges);
        return count;
    }
}
