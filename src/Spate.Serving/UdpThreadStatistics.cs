namespace Spate.Serving;

/// <summary>What one thread of a <see cref="UdpServer"/> has done since it was started: a snapshot.</summary>
public readonly record struct UdpThreadStatistics
{
    /// <summary>The shard's index; -1 for the thread that receives for others.</summary>
    public int ShardIndex { get; init; }

    /// <summary>The system's number of the thread (Linux: gettid), under which it is in /proc; 0 elsewhere.</summary>
    public int SystemThreadId { get; init; }

    /// <summary>The CPU it is tied to; -1: none.</summary>
    public int CpuIndex { get; init; }

    /// <summary>Datagrams given to the handler, or, on the thread that receives for others, handed on.</summary>
    public long Datagrams { get; init; }

    /// <summary>Payload bytes of <see cref="Datagrams"/>.</summary>
    public long Bytes { get; init; }

    /// <summary>Calls that brought them: receives from the system, or batches taken from the other thread.</summary>
    public long Calls { get; init; }

    /// <summary>The fewest datagrams that a call brought; 0 before the first.</summary>
    public int MinPerCall { get; init; }

    /// <summary>The most datagrams that a call brought.</summary>
    public int MaxPerCall { get; init; }

    /// <summary>Datagrams per call; 0 before the first.</summary>
    public double MeanPerCall => Calls == 0 ? 0 : (double)Datagrams / Calls;

    /// <summary>Exceptions that the handler threw.</summary>
    public long HandlerFaults { get; init; }

    /// <summary>Datagrams of the batches in which it threw; how many of them it had handled is not known.</summary>
    public long DatagramsFaulted { get; init; }

    /// <summary>Replies that the system accepted, those posted by other threads included.</summary>
    public long RepliesSent { get; init; }

    /// <summary>Replies that the system refused for good.</summary>
    public long RepliesRefused { get; init; }

    /// <summary>
    /// Replies given up because the send buffer stayed full for <see cref="UdpServerOptions.ReplyTimeout"/>, or until
    /// the time to end was over, or because the socket cannot send them as they were composed.
    /// </summary>
    public long RepliesDropped { get; init; }

    /// <summary>Times the thread went to sleep.</summary>
    public long Sleeps { get; init; }
}
