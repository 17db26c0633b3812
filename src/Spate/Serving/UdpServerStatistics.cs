namespace Spate.Serving;

/// <summary>
/// Statistics of a <see cref="UdpServer"/>. The counts of different threads are read one after the other, not at the
/// same moment.
/// </summary>
public sealed record UdpServerStatistics
{
    private const int MaxStuckShown = 16;

    /// <summary>
    /// The statistics of every thread that was started, by index. The thread that receives for others comes first, if
    /// there is one. Threads that have ended stay in the list: their counts are summed in one entry per index. A
    /// present thread with the same index has its own entry after that.
    /// </summary>
    public required IReadOnlyList<UdpThreadStatistics> Threads { get; init; }

    /// <summary>
    /// The sums of the counters of all sockets, including closed sockets. <see cref="UdpCounters.KernelDrops"/> is null
    /// if the drops of at least one socket are not known.
    /// </summary>
    public required UdpCounters Sockets { get; init; }

    /// <summary>
    /// The number of datagrams that were received or queued, but not passed to a handler before the drain timeout, when
    /// the server was stopped or threads were taken away. Datagrams in the io_uring of a stuck shard are not counted.
    /// </summary>
    public long Unhandled { get; init; }

    /// <summary>
    /// The indexes of the shards whose handler had not returned two seconds after the drain timeout. Their threads were
    /// abandoned. Each thread ends when its handler returns; its shard is then removed from this list. The list is
    /// usually empty.
    /// </summary>
    public IReadOnlyList<int> StuckShards { get; init; } = [];

    /// <summary>
    /// The number of datagrams that handlers of the type <see cref="UdpChannelHandler"/> dropped because their channel
    /// was full (<see cref="UdpChannelHandler.DroppedFull"/>). These datagrams are counted in <see cref="Handled"/>
    /// too.
    /// </summary>
    public long ChannelDrops { get; init; }

    /// <summary>
    /// The number of sessions in the tables of the present shards
    /// (<see cref="UdpShard.CreateSessionTable{TSession}"/>).
    /// </summary>
    public int SessionCount { get; init; }

    /// <summary>
    /// How many new sessions the limits of session tables refused. Tables of ended shards are included.
    /// </summary>
    public SessionRefusals SessionsRefused { get; init; }

    /// <summary>The number of datagrams given to handlers.</summary>
    public long Handled
    {
        get
        {
            long handled = 0;
            foreach (UdpThreadStatistics thread in Threads) handled += thread.ShardIndex is null ? 0 : thread.Datagrams;
            return handled;
        }
    }

    /// <summary>
    /// Returns a summary on one line: the sums over all threads, the drops, and the shards that are stuck. The
    /// properties have the details.
    /// </summary>
    public override string ToString()
    {
        long faulted = 0, sent = 0, refused = 0, dropped = 0;
        foreach (UdpThreadStatistics thread in Threads)
        {
            faulted += thread.DatagramsFaulted;
            sent += thread.RepliesSent;
            refused += thread.RepliesRefused;
            dropped += thread.RepliesDropped;
        }

        string kernel = Sockets.KernelDrops is { } drops ? $"{drops} {Sockets.KernelDropUnit}" : "unknown";
        string shards = string.Join(' ', StuckShards.Take(MaxStuckShown));
        string stuck = StuckShards.Count == 0 ? "" : $"; {StuckShards.Count} shards stuck: {shards}";
        return $"{Handled} handled, {faulted} faulted, {Unhandled} unhandled; {sent} replies sent, {refused} refused, "
            + $"{dropped} dropped; {ChannelDrops} channel drops, kernel drops {kernel}; {SessionCount} sessions, "
            + $"{SessionsRefused.Total} refused{stuck}";
    }
}
