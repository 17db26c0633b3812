using Spate.Gateway.Format;

namespace Spate.Gateway.Pipelines;

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
