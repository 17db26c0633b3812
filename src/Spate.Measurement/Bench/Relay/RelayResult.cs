namespace Spate.Measurement.Bench.Relay;

/// <summary>What a relay bench measured and how.</summary>
public sealed record RelayResult
{
    /// <summary>One per relay, first all with trains, then all without.</summary>
    public required IReadOnlyList<RelayRowResult> Rows { get; init; }

    /// <summary>Rows that did not run, each with its reason.</summary>
    public required IReadOnlyList<BenchSkippedRow> Skipped { get; init; }

    /// <summary>Where things ran: generator and sink as sender, the relay as receiver.</summary>
    public required CpuPlacement Placement { get; init; }

    /// <summary>Payload bytes of a datagram.</summary>
    public required int SizeBytes { get; init; }

    /// <summary>Datagrams per second that were asked for.</summary>
    public required double AskedDatagramsPerSecond { get; init; }

    /// <summary>Datagrams that leave at once.</summary>
    public required int BurstDatagrams { get; init; }

    /// <summary>How long a round was, in seconds.</summary>
    public required double RoundSeconds { get; init; }

    /// <summary>How long the whole run took, in seconds.</summary>
    public required double TotalSeconds { get; init; }
}
