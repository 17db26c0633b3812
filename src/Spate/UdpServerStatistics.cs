namespace Spate;

/// <summary>What a <see cref="UdpServer"/> has done: a snapshot, not of one instant for all threads.</summary>
public sealed record UdpServerStatistics
{
    /// <summary>
    /// Every thread that was started, by index; those that were taken away keep their place with what they had done, as
    /// one entry per index. The thread that receives for others is the first, where there is one.
    /// </summary>
    public required IReadOnlyList<UdpThreadStatistics> Threads { get; init; }

    /// <summary>The sockets' counters added up, closed ones included.</summary>
    public required UdpCounters Sockets { get; init; }

    /// <summary>
    /// Datagrams that the receiving thread of <see cref="UdpServerDesign.Ring"/> or
    /// <see cref="UdpServerDesign.ReaderWorkers"/> had taken when the time to stop was over, and that no handler saw.
    /// </summary>
    public long Unhandled { get; init; }

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
