using Spate.Cli.Iperf.Iperf2.Wire;

namespace Spate.Cli.Iperf.Iperf2.Results;

/// <summary>What became of a flow at its client.</summary>
internal sealed record Iperf2Sent
{
    public required Iperf2Stream Stream { get; init; }

    /// <summary>From the first datagram on until the last one's time was over.</summary>
    public required double Seconds { get; init; }

    /// <summary>Datagrams that left, without those that end the flow.</summary>
    public required long Datagrams { get; init; }

    public required long Bytes { get; init; }

    /// <summary>Datagrams that the system refused; their numbers are lost at the server.</summary>
    public long Refused { get; init; }

    /// <summary>Datagrams sent to end the flow.</summary>
    public int EndTries { get; init; }

    public Iperf2ServerReport? Report { get; init; }

    /// <summary>Data datagrams, with copies, by the bytes of <see cref="Report"/>; null if those do not tell.</summary>
    public long? Arrived { get; init; }

    /// <summary>Whether the other host said that nothing listens there.</summary>
    public bool IsPortClosed { get; init; }
}
