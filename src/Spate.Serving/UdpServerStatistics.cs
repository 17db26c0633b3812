namespace Spate.Serving;

/// <summary>What a <see cref="UdpServer"/> has done. Counts of different threads are not of one instant.</summary>
public sealed record UdpServerStatistics
{
    /// <summary>
    /// Every thread that was started, by index. Threads that were taken away keep their place with what they had done,
    /// as one entry per index. The thread that receives for others comes first, where there is one.
    /// </summary>
    public required IReadOnlyList<UdpThreadStatistics> Threads { get; init; }

    /// <summary>
    /// The sockets' counters added up, closed ones included. <see cref="UdpCounters.KernelDrops"/> is -1 if the drops
    /// of any socket are not known.
    /// </summary>
    public required UdpCounters Sockets { get; init; }

    /// <summary>
    /// Datagrams that were received or queued when the time to end a thread or the server was over, and that no handler
    /// saw. Not among them is what lay in the ring of a stuck shard.
    /// </summary>
    public long Unhandled { get; init; }

    /// <summary>
    /// Indexes of the shards whose handler had not returned when the time to end was over. Their threads were left
    /// behind, and end when the handler returns; from then on they are not in this list. Empty as a rule.
    /// </summary>
    public IReadOnlyList<int> StuckShards { get; init; } = [];

    /// <summary>Datagrams given to handlers.</summary>
    public long Handled
    {
        get
        {
            long handled = 0;
            foreach (UdpThreadStatistics thread in Threads) handled += thread.ShardIndex >= 0 ? thread.Datagrams : 0;
            return handled;
        }
    }
}
