namespace Spate.Serving;

/// <summary>What a <see cref="UdpServer"/> has done. Counts of different threads are of different moments.</summary>
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
    /// Datagrams that were received or queued when the time to end a thread or the server was over, and that no handler
    /// got. What lies in the ring of a stuck shard is not counted.
    /// </summary>
    public long Unhandled { get; init; }

    /// <summary>
    /// Indexes of the shards whose handler had not returned when the time to end was over. Their threads were left
    /// behind and end when the handler returns, after which they are not in this list. It is empty as a rule.
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
