namespace Spate.Measurement.Bench;

/// <summary>What a bench measured and how.</summary>
public sealed record BenchResult
{
    /// <summary>One per row and size: in the order of sizes, then of rows, other programs last.</summary>
    public required IReadOnlyList<BenchRowResult> Rows { get; init; }

    /// <summary>Rows that did not run, each with its reason.</summary>
    public required IReadOnlyList<BenchSkippedRow> Skipped { get; init; }

    /// <summary>Where the two ends ran.</summary>
    public required CpuPlacement Placement { get; init; }

    /// <summary>Measured rounds over all rows.</summary>
    public required int RoundCount { get; init; }

    /// <summary>How long the sender sent in one round, in seconds.</summary>
    public required double RoundSeconds { get; init; }

    /// <summary>How long the whole run took, in seconds.</summary>
    public required double TotalSeconds { get; init; }

    /// <summary>Socket buffer asked for at both ends, in bytes.</summary>
    public required int BufferAskedBytes { get; init; }
}
