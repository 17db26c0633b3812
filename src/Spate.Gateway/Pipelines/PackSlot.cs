namespace Spate.Gateway.Pipelines;

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
