using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Bench.Sessions;

/// <summary>One number of peers in one pattern, at one size: medians over the rounds.</summary>
public sealed record SessionsRow
{
    /// <summary>Sessions in the table.</summary>
    public required int Peers { get; set; }

    /// <summary>
    /// <c>runs</c>: 64 datagrams of a peer, then another peer, as coalescing delivers them. <c>scattered</c>: every
    /// datagram is another peer's.
    /// </summary>
    public required string Pattern { get; set; }

    /// <summary>Payload bytes of a datagram.</summary>
    public required int SizeBytes { get; set; }

    /// <summary>Nanoseconds of receiving a datagram, finding its session and counting it there.</summary>
    public required double NanosecondsPerDatagram { get; set; }

    /// <summary>Of these, what the table takes: the difference to a drain without a table in the same round.</summary>
    public double TableNanosecondsPerDatagram { get; set; }

    /// <summary>The quotient over one session's cost at this size: the median of the rounds' quotients.</summary>
    public double TimesOneSession { get; set; }

    /// <summary>How far <see cref="Samples"/> lie apart, see <see cref="Statistics.SpreadPercent"/>.</summary>
    public double SpreadPercent { get; set; }

    /// <summary>The nanoseconds per datagram of each round, in the order of the rounds.</summary>
    public double[] Samples { get; set; } = [];
}
