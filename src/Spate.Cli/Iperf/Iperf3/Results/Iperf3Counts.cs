namespace Spate.Cli.Iperf.Iperf3.Results;

/// <summary>
/// What one end counted of a stream in a time, the way that iperf3 counts (iperf_udp.c): a reordered datagram is lost
/// and then taken back, a copy too, and a loss at the tail is not seen. All counts are of one interval or, at the end,
/// of the whole test without what was omitted.
/// </summary>
internal sealed record Iperf3Counts
{
    /// <summary>Payload bytes sent or received.</summary>
    public long Bytes { get; init; }

    /// <summary>Datagrams sent, or for the receiver the growth of the highest counter.</summary>
    public long Packets { get; init; }

    /// <summary>Datagrams that the receiver counts as lost; below zero where it took back more than it had.</summary>
    public long Lost { get; init; }

    /// <summary>Datagrams that came after one with a higher counter, copies included.</summary>
    public long OutOfOrder { get; init; }

    /// <summary>The smoothed jitter of RFC 1889, A.8, in seconds, at the end of the time.</summary>
    public double JitterSeconds { get; init; }
}
