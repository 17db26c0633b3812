namespace Spate.Cli.Iperf.Iperf3.Results;

/// <summary>
/// What one end counted of a stream as iperf3 does (iperf_udp.c): a reordered datagram is lost and then taken back, a
/// copy too, and a loss at the tail is not seen. Without what was omitted, where it is of a whole test.
/// </summary>
internal sealed record Iperf3Counts
{
    public long Bytes { get; init; }

    /// <summary>Datagrams sent, or for the receiver the growth of the highest counter.</summary>
    public long Packets { get; init; }

    /// <summary>Datagrams that the receiver counts as lost; below zero where it took back more than it had.</summary>
    public long Lost { get; init; }

    /// <summary>Datagrams that came after one with a higher counter, copies included.</summary>
    public long OutOfOrder { get; init; }

    /// <summary>Smoothed as in RFC 1889, A.8, at the end of the time.</summary>
    public double JitterSeconds { get; init; }
}
