namespace Spate.Gateway;

/// <summary>What was read of one key (<see cref="GatewayKey"/>), and what of it is missing.</summary>
public sealed record GatewayKeyFindings
{
    /// <summary>The gateway, its run, shard and partition.</summary>
    public required GatewayKey Key { get; init; }

    /// <summary>Whether the run is over.</summary>
    public required GatewayEpochState State { get; init; }

    /// <summary>
    /// Whether the beginning was not read: it is no longer in the stream, or the reader began behind it. That is no
    /// loss; nothing before <see cref="FirstSequence"/> is verified then.
    /// </summary>
    public bool IsHeadCut { get; init; }

    /// <summary>The first sequence number that is verified: 0, or the first one read where the head is cut.</summary>
    public long FirstSequence { get; init; }

    /// <summary>One more than the highest sequence number read.</summary>
    public long NextSequence { get; init; }

    /// <summary>Messages read, accounting messages and duplicates included.</summary>
    public long Messages { get; init; }

    /// <summary>Different datagrams read.</summary>
    public long Datagrams { get; init; }

    /// <summary>Second and further copies of datagrams, which are not in <see cref="Datagrams"/>.</summary>
    public long Duplicates { get; init; }

    /// <summary>Datagrams whose first copy came after a datagram with a higher sequence number.</summary>
    public long Reordered { get; init; }

    /// <summary>Datagrams that the gateway had accepted by the last accounting message read; 0 without one.</summary>
    public long LastAccepted { get; init; }

    /// <summary>Datagrams that the broker had confirmed by the last accounting message read.</summary>
    public long LastCommitted { get; init; }

    /// <summary>Datagrams that accounting messages name as dropped since the window was full.</summary>
    public long DroppedWindowFull { get; init; }

    /// <summary>Datagrams that accounting messages name as dropped since the broker refused them.</summary>
    public long DroppedRefused { get; init; }

    /// <summary>Datagrams that accounting messages name as dropped since they were too large.</summary>
    public long DroppedOversized { get; init; }

    /// <summary>Datagrams that accounting messages name as dropped when the gateway was stopped.</summary>
    public long DroppedShutdown { get; init; }

    /// <summary>Datagrams that are not in the stream without a stated reason: a loss.</summary>
    public long Missing { get; init; }

    /// <summary>
    /// Of the datagrams that are not in the stream, how many at least the broker had confirmed: when an accounting
    /// message was read, fewer datagrams had been read than it says were committed.
    /// </summary>
    public long CommittedMissing { get; init; }

    /// <summary>Datagrams of findings of the kind <see cref="GatewayFindingKind.Unexplained"/>.</summary>
    public long Unexplained { get; init; }

    /// <summary>Datagrams of findings of the kind <see cref="GatewayFindingKind.Unsettled"/>.</summary>
    public long Unsettled { get; init; }

    /// <summary>Datagrams of findings of the kind <see cref="GatewayFindingKind.CutOff"/>.</summary>
    public long CutOff { get; init; }

    /// <summary>
    /// Datagrams in gaps that were forgotten, since there were more gaps than are kept. Whether they are missing is not
    /// known.
    /// </summary>
    public long Undecided { get; init; }

    /// <summary>
    /// Datagrams of the shard that the gateway kept out, by its last accounting message; in partition 0 only.
    /// </summary>
    public long NotAllowed { get; init; }

    /// <summary>
    /// The kernel's drops at the shard's sockets, by the last accounting message; null if the gateway did not know
    /// them, and in partitions other than 0.
    /// </summary>
    public long? KernelDrops { get; init; }

    /// <summary>The unit of <see cref="KernelDrops"/>.</summary>
    public UdpDropUnit KernelDropUnit { get; init; }

    /// <summary>The gaps: first those with a stated reason, as they were stated, then the others in order.</summary>
    public IReadOnlyList<GatewayFinding> Gaps { get; init; } = [];

    /// <summary>Gaps that are counted above, but are too many for <see cref="Gaps"/>.</summary>
    public long GapsOmitted { get; init; }

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(nameof(GatewayKeyFindings), PrintMembers, (nameof(Gaps), Gaps));
}
