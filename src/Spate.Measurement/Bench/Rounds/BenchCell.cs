namespace Spate.Measurement.Bench.Rounds;

/// <summary>What a benchmark measures once in each round: a row, at a size or under other settings.</summary>
/// <typeparam name="TRound">What one round measures.</typeparam>
/// <param name="name">The row's name in the progress.</param>
/// <param name="sizeBytes">Payload bytes of a datagram.</param>
/// <param name="skippedName">The name in the reason why it did not run; null for <paramref name="name"/>.</param>
internal abstract class BenchCell<TRound>(string name, int sizeBytes, string? skippedName = null)
{
    public string Name { get; } = name;

    public int SizeBytes { get; } = sizeBytes;

    public string SkippedName { get; } = skippedName ?? name;

    /// <summary>What the rounds measured, in their order; empty for a cell that was skipped.</summary>
    public List<TRound> Rounds { get; } = [];

    /// <summary>Whether the benchmark goes on without this cell.</summary>
    public bool IsSkipped { get; private set; }

    /// <summary>Leaves the cell out from now on. Half a row's rounds are not a result, so those are dropped.</summary>
    public void Skip()
    {
        IsSkipped = true;
        Rounds.Clear();
    }
}
