namespace Spate.Serving;

/// <summary>Statistics of a <see cref="UdpServer"/>. Counts of different threads are of different moments.</summary>
public sealed record UdpServerStatistics
{
    /// <summary>
    /// The statistics of every thread that was started, by index. Threads that were taken away stay in the list, with
    /// one entry per index. The thread that receives for others comes first, if there is one.
    /// </summary>
    public required IReadOnlyList<UdpThreadStatistics> Threads { get; init; }

    /// <summary>
    /// The sum of the counters of all sockets, closed ones included. <see cref="UdpCounters.KernelDrops"/> is -1 if the
    /// drops of any socket are not known.
    /// </summary>
    public required UdpCounters Sockets { get; init; }

    /// <summary>
    /// Datagrams that were received or queued, but that no handler got before the drain timeout of a thread or the
    /// server. Datagrams in the ring of a stuck shard are not counted.
    /// </summary>
    public long Unhandled { get; init; }

    /// <summary>
    /// Indexes of the shards whose handler had not returned two seconds after the drain timeout. Their threads were
    /// abandoned. Each thread ends when its handler returns, and its shard then leaves this list. The list is usually
    /// empty.
    /// </summary>
    public IReadOnlyList<int> StuckShards { get; init; } = [];

    /// <summary>
    /// Datagrams that handlers of the type <see cref="UdpChannelHandler"/> dropped because their channel was full
    /// (<see cref="UdpChannelHandler.DroppedFull"/>). They are in <see cref="Handled"/> too.
    /// </summary>
    public long ChannelDrops { get; init; }

    /// <summary>
    /// Sessions in the tables of the present shards (<see cref="UdpShard.CreateSessionTable{TSession}"/>).
    /// </summary>
    public int SessionCount { get; init; }

    /// <summary>New sessions that limits of these tables refused, ended shards included.</summary>
    public SessionRefusals SessionsRefused { get; init; }

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

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(
        nameof(UdpServerStatistics), PrintMembers, (nameof(Threads), Threads), (nameof(StuckShards), StuckShards));
}
