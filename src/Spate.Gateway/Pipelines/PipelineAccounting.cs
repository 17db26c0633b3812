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
