using System.Text;
using Spate.Gateway.Format;

namespace Spate.Gateway.Pipelines;

/// <summary>Writes what is not records in the messages of a pipeline: prefixes and accounting messages.</summary>
internal sealed class PipelineWriter
{
    private readonly byte[] _id;
    private readonly UdpEndPoint[] _localEndPoints;
    private readonly DroppedRange[] _ranges;
    private readonly PackClock _clock;
    private readonly long _epoch;
    private readonly int _shardIndex;

    public PipelineWriter(PipelinePlan plan, int shardIndex, IReadOnlyList<UdpEndPoint> localEndPoints)
    {
        _id = Encoding.UTF8.GetBytes(plan.Id);
        _localEndPoints = [.. localEndPoints];
        _clock = plan.Clock;
        _epoch = plan.Epoch;
        _shardIndex = shardIndex;
        PrefixBytes = PackPrefix.BytesFor(_id, _localEndPoints);
        int rangeCount = (plan.AccountingBytes - PrefixBytes - AccountingTotals.FixedBytes) / DroppedRange.Bytes;
        _ranges = new DroppedRange[rangeCount];
    }

    /// <summary>The bytes of every prefix of the pipeline, behind which the records begin.</summary>
    public int PrefixBytes { get; }

    /// <summary>The most dropped ranges of an accounting message.</summary>
    public int MaxRanges => _ranges.Length;

    /// <summary>Writes the prefix of a pack of records that is complete. For the shard's thread.</summary>
    public void WritePrefix(PackBuffer pack) => WritePrefix(pack, PackKind.Records, PackFlags.None, pack.Count);

    /// <summary>
    /// Writes an accounting message with the totals of a partition, and takes over as many of the unsaid ranges as fit.
    /// Under the pipeline's lock.
    /// </summary>
    public void WriteAccountingMessage(PackBuffer buffer, PackFlags flags, KeyCounts key, AccountingTotals totals)
    {
        Span<DroppedRange> ranges = _ranges.AsSpan(0, key.TakeUnsaid(_ranges));
        if (key.UnsaidCount > 0) flags |= PackFlags.More;
        buffer.FirstSequence = key.Next;
        buffer.FirstTime = _clock.Now;
        buffer.LastTime = buffer.FirstTime;
        buffer.UsedBytes = PrefixBytes + totals.Write(buffer.Bytes.AsSpan(PrefixBytes), ranges);
        WritePrefix(buffer, PackKind.Accounting, flags, ranges.Length);
    }

    private void WritePrefix(PackBuffer pack, PackKind kind, PackFlags flags, int count)
    {
        PackPrefix prefix = new()
        {
            Kind = kind,
            Flags = flags,
            Shard = (ushort)_shardIndex,
            Partition = (ushort)pack.Partition,
            Epoch = _epoch,
            FirstSequence = pack.FirstSequence,
            Count = (uint)count,
            BodyBytes = (uint)(pack.UsedBytes - PrefixBytes),
            FirstTime = pack.FirstTime,
            LastTime = pack.LastTime,
        };
        prefix.Write(pack.Bytes, _id, _localEndPoints);
    }
}
