namespace Spate.Measurement.Bench.Drain;

/// <summary>What a drain bench measured and how.</summary>
public sealed record DrainResult
{
    /// <summary>One per row and size, in the order of sizes, then of rows.</summary>
    public required IReadOnlyList<DrainRowResult> Rows { get; init; }

    /// <summary>Rows that did not run, each with its reason.</summary>
    public required IReadOnlyList<BenchSkippedRow> Skipped { get; init; }

    /// <summary>CPU index that everything ran on; null when it floated.</summary>
    public required int? Cpu { get; init; }

    /// <summary>How long the whole run took, in seconds.</summary>
    public required double TotalSeconds { get; init; }
}
