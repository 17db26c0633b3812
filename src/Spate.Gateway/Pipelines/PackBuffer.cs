using System.Text;
using Spate.Gateway.Format;

namespace Spate.Gateway.Pipelines;

/// <summary>
/// The bytes of one message and what is known about it. It belongs to the shard's thread while it is filled, and then
/// to its pipeline, under the pipeline's lock, until it is free again.
/// </summary>
internal sealed class PackBuffer(int bytes)
{
    public byte[] Bytes { get; } = GC.AllocateUninitializedArray<byte>(bytes);

    /// <summary>The bytes of the message, from the first.</summary>
    public int UsedBytes { get; set; }

    /// <summary>The datagrams in it; 0 for an accounting message.</summary>
    public int Count { get; set; }

    public int Partition { get; set; }

    /// <summary>
    /// The sequence number of the first datagram; of an accounting message, the number of those accepted.
    /// </summary>
    public ulong FirstSequence { get; set; }

    /// <summary>When the first datagram came, in nanoseconds since 1970 UTC.</summary>
    public long FirstTime { get; set; }

    /// <summary>When the last datagram came, likewise.</summary>
    public long LastTime { get; set; }

    /// <summary>Whether it is an accounting message, whose buffer lies outside of the pool.</summary>
    public bool IsAccounting { get; init; }

    /// <summary>Whether it is the accounting message that ends its key.</summary>
    public bool IsEnd { get; set; }

    /// <summary>
    /// The place among all packs of the pipeline that were ever published, from 1; 0 for not published.
    /// </summary>
    public ulong Ticket { get; set; }

    /// <summary>The time stamp of the latest publish.</summary>
    public long PublishedAt { get; set; }

    /// <summary>Whether it was published on a connection that was lost, and may be stored or not.</summary>
    public bool IsInDoubt { get; set; }

    /// <summary>Whether the broker gave back what is being published: its confirm is no commit.</summary>
    public bool IsReturned { get; set; }

    /// <summary>How many times the broker has refused or returned it.</summary>
    public int RefusalCount { get; set; }

    public ReadOnlyMemory<byte> Message => Bytes.AsMemory(0, UsedBytes);

    /// <summary>
    /// Makes it as good as new, for its next use. The message stays as it is until then: at the very end, a buffer is
    /// given back while its message may still be on its way.
    /// </summary>
    public void Reset()
    {
        Count = 0;
        IsEnd = false;
        Ticket = 0;
        IsInDoubt = false;
        IsReturned = false;
        RefusalCount = 0;
    }
}

/// <summary>
/// The time of arrivals, in nanoseconds since 1970 UTC: the system's time at the start and the monotonic clock since
/// then, so that it never goes back.
/// </summary>
internal sealed class PackClock(TimeProvider time)
{
    private const long NanosecondsPerSecond = 1_000_000_000;
    private const long NanosecondsPerTick = 100;

    private readonly long _frequency = time.TimestampFrequency;
    private readonly long _startStamp = time.GetTimestamp();
    private readonly long _startTime = (time.GetUtcNow() - DateTimeOffset.UnixEpoch).Ticks * NanosecondsPerTick;

    /// <summary>The present time.</summary>
    public long Now => At(time.GetTimestamp());

    /// <summary>The time of a time stamp of the same provider.</summary>
    public long At(long stamp)
    {
        long elapsed = stamp - _startStamp;
        if (_frequency == NanosecondsPerSecond) return _startTime + elapsed;
        (long seconds, long rest) = Math.DivRem(elapsed, _frequency);
        return _startTime + (seconds * NanosecondsPerSecond) + (rest * NanosecondsPerSecond / _frequency);
    }
}

/// <summary>
/// The buffers of a pipeline: made when they are first needed, never more than there is memory for. Under the
/// pipeline's lock, besides <see cref="FreeCount"/>.
/// </summary>
internal sealed class PackPool(int maxCount, int packBytes)
{
    // The last one that came back goes out first: its bytes may still be in a cache.
    private readonly Stack<PackBuffer> _free = [];
    private int _freeCount = maxCount;

    public int MaxCount { get; } = maxCount;

    /// <summary>Buffers that can be taken. Any thread may read it, to save taking the lock for nothing.</summary>
    public int FreeCount => Volatile.Read(ref _freeCount);

    /// <summary>Takes an empty buffer, or returns null: all are in use.</summary>
    public PackBuffer? TryTake()
    {
        if (_freeCount == 0) return null;
        Volatile.Write(ref _freeCount, _freeCount - 1);
        return _free.TryPop(out PackBuffer? pack) ? pack : new PackBuffer(packBytes);
    }

    public void GiveBack(PackBuffer pack)
    {
        pack.Reset();
        _free.Push(pack);
        Volatile.Write(ref _freeCount, _freeCount + 1);
    }
}

/// <summary>
/// What the shard's thread keeps of a partition between two visits to the pipeline's lock: the pack that is being
/// filled, and the latest run of dropped datagrams. Only that thread uses it.
/// </summary>
internal sealed class PackSlot(int partition)
{
    public int Partition => partition;

    public PackBuffer? Open { get; set; }

    /// <summary>The datagrams in the open pack; 0 for none.</summary>
    public int OpenCount => Open?.Count ?? 0;

    /// <summary>The next sequence number: all accepted so far.</summary>
    public ulong Next { get; set; }

    public ulong DropFirst { get; private set; }

    public long DropCount { get; private set; }

    public GatewayDropReason DropReason { get; private set; }

    /// <summary>
    /// Gives the next number to a datagram that is dropped. Returns false if the run that is noted ends before it: the
    /// pipeline has to take that one first (<see cref="ShardPipeline.Fold(PackSlot)"/>).
    /// </summary>
    public bool TryDrop(GatewayDropReason reason)
    {
        if (DropCount > 0 && (DropReason != reason || DropFirst + (ulong)DropCount != Next)) return false;
        if (DropCount == 0) (DropFirst, DropReason) = (Next, reason);
        DropCount++;
        Next++;
        return true;
    }

    public void ClearDrops() => DropCount = 0;
}

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
