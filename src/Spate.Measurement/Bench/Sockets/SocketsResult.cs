namespace Spate.Measurement.Bench.Sockets;

/// <summary>What a sockets bench measured and how.</summary>
public sealed record SocketsResult
{
    /// <summary>One per number of sockets, queued datagrams and mode, in this order.</summary>
    public required IReadOnlyList<SocketsRowResult> Rows { get; init; }

    /// <summary>What did not run, each with its reason.</summary>
    public required IReadOnlyList<BenchSkippedRow> Skipped { get; init; }

    /// <summary>CPU index that everything but awaited calls ran on; null when it floated.</summary>
    public required int? Cpu { get; init; }

    /// <summary>How long the whole run took, in seconds.</summary>
    public required double TotalSeconds { get; init; }
}
