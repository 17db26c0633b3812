namespace Spate.Serving;

/// <summary>A snapshot of what one thread of a <see cref="UdpServer"/> has done since it was started.</summary>
public readonly record struct UdpThreadStatistics
{
    /// <summary>The shard's index; -1 for the thread that receives for others.</summary>
    public int ShardIndex { get; init; }

    /// <summary>The thread's number in the system and in /proc (gettid); 0 on systems other than Linux.</summary>
    public int SystemThreadId { get; init; }

    /// <summary>The CPU that the thread is tied to; -1 for none.</summary>
    public int CpuIndex { get; init; }

    /// <summary>Datagrams given to the handler; for the thread that receives for others, passed on.</summary>
    public long Datagrams { get; init; }

    /// <summary>Payload bytes of <see cref="Datagrams"/>.</summary>
    public long Bytes { get; init; }

    /// <summary>Calls that brought datagrams: receives, or batches taken from the thread that receives.</summary>
    public long Calls { get; init; }

    /// <summary>The fewest datagrams that a call brought; 0 before the first.</summary>
    public int MinPerCall { get; init; }

    /// <summary>The most datagrams that a call brought.</summary>
    public int MaxPerCall { get; init; }

    /// <summary>Datagrams per call; 0 before the first.</summary>
    public double MeanPerCall => Calls == 0 ? 0 : (double)Datagrams / Calls;

    /// <summary>Exceptions that the handler threw.</summary>
    public long HandlerFaults { get; init; }

    /// <summary>
    /// All datagrams of the batches in which the handler threw: the server does not know which of them it had handled.
    /// They count in <c>spate.drop.count</c> of the meter <c>Spate</c> too, with the place <c>handler</c>.
    /// </summary>
    public long DatagramsFaulted { get; init; }

    /// <summary>Replies that the system accepted, those posted by other threads included.</summary>
    public long RepliesSent { get; init; }

    /// <summary>Replies that the system refused for good.</summary>
    public long RepliesRefused { get; init; }

    /// <summary>
    /// Replies dropped because the send buffer stayed full for <see cref="UdpServerOptions.ReplyTimeout"/> or until the
    /// drain timeout, because the socket cannot send them as they were composed, or because the handler threw before
    /// they were sent.
    /// </summary>
    public long RepliesDropped { get; init; }

    /// <summary>How many times the thread has slept.</summary>
    public long Sleeps { get; init; }
}
