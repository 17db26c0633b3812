namespace Spate.Serving;

/// <summary>A snapshot of what one thread of a <see cref="UdpServer"/> has done since it was started.</summary>
public readonly record struct UdpThreadStatistics
{
    /// <summary>The index of the shard; null for the thread that receives for others.</summary>
    public int? ShardIndex { get; init; }

    /// <summary>
    /// The thread's id in the system: on Linux that of gettid and /proc, on Windows that of GetCurrentThreadId; null
    /// on other systems.
    /// </summary>
    public int? SystemThreadId { get; init; }

    /// <summary>The CPU to which the thread is tied; null if it is not tied to a CPU.</summary>
    public int? Cpu { get; init; }

    /// <summary>
    /// The number of datagrams given to the handler. For the thread that receives for others: the number of datagrams
    /// passed on to the other threads.
    /// </summary>
    public long Datagrams { get; init; }

    /// <summary>The payload bytes of <see cref="Datagrams"/>.</summary>
    public long Bytes { get; init; }

    /// <summary>
    /// The number of calls that brought datagrams: receives, or batches taken from the receiving thread.
    /// </summary>
    public long Calls { get; init; }

    /// <summary>The smallest number of datagrams that a call brought; 0 before the first call.</summary>
    public int MinPerCall { get; init; }

    /// <summary>The largest number of datagrams that a call brought.</summary>
    public int MaxPerCall { get; init; }

    /// <summary>The mean number of datagrams per call; 0 before the first call.</summary>
    public double MeanPerCall => Calls == 0 ? 0 : (double)Datagrams / Calls;

    /// <summary>The number of exceptions that the handler threw.</summary>
    public long HandlerFaults { get; init; }

    /// <summary>
    /// The number of datagrams in batches whose handler threw. All datagrams of such a batch count, because the server
    /// does not know which of them were handled. They also count in <c>spate.drop.count</c> of the meter <c>Spate</c>,
    /// with the value <c>handler</c> of the attribute <c>spate.drop.place</c>.
    /// </summary>
    public long DatagramsFaulted { get; init; }

    /// <summary>The number of replies that the system accepted, also those that other threads enqueued.</summary>
    public long RepliesSent { get; init; }

    /// <summary>The number of replies that the system refused. They are not sent again.</summary>
    public long RepliesRefused { get; init; }

    /// <summary>
    /// The number of dropped replies. A reply is dropped if the send buffer stayed full for
    /// <see cref="UdpServerOptions.ReplyTimeout"/> or until the drain timeout, if a reply in its batch has a
    /// <see cref="SendControl"/> that the socket does not support, or if the handler threw before the reply was sent.
    /// </summary>
    public long RepliesDropped { get; init; }

    /// <summary>The number of times that the thread has slept.</summary>
    public long Sleeps { get; init; }
}
