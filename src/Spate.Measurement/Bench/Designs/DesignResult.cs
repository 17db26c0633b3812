namespace Spate.Measurement.Bench.Designs;

/// <summary>What a comparison of server designs measured and how.</summary>
public sealed record DesignResult
{
    /// <summary>One per design, work and number of threads.</summary>
    public required IReadOnlyList<DesignRowResult> Rows { get; init; }

    /// <summary>Rows that did not run, each with its reason.</summary>
    public required IReadOnlyList<BenchSkippedRow> Skipped { get; init; }

    /// <summary>What was measured.</summary>
    public required DesignOptions Options { get; init; }

    /// <summary>CPU index of the generator's thread; null when it floated.</summary>
    public required int? GeneratorCpu { get; init; }

    /// <summary>What a round of work costs here, in nanoseconds.</summary>
    public required double NanosecondsPerWorkRound { get; init; }

    /// <summary>Datagrams sent for every row in every round.</summary>
    public required long DatagramsPerRound { get; init; }

    /// <summary>How many rounds were measured.</summary>
    public required int RoundCount { get; init; }

    /// <summary>How long the whole run took, in seconds.</summary>
    public required double TotalSeconds { get; init; }
}
