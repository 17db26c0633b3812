namespace Spate.Measurement.Bench.Rounds;

/// <summary>A row at one size, or under other settings: a benchmark measures each cell once per round.</summary>
/// <typeparam name="TRound">The measurement of one round.</typeparam>
/// <param name="name">The row's name in the progress.</param>
/// <param name="sizeBytes">Payload bytes of a datagram.</param>
/// <param name="skippedName">The row's name in the list of skipped rows; null for <paramref name="name"/>.</param>
internal abstract class BenchCell<TRound>(string name, int sizeBytes, string? skippedName = null)
{
    public string Name { get; } = name;

    public int SizeBytes { get; } = sizeBytes;

    public string SkippedName { get; } = skippedName ?? name;

    /// <summary>The measurements of the rounds, in their order; empty for a skipped cell.</summary>
    public List<TRound> Rounds { get; } = [];

    /// <summary>Whether the benchmark goes on without this cell.</summary>
    public bool IsSkipped { get; private set; }

    /// <summary>Leaves the cell out from now on, and drops its rounds: some of them are not a result.</summary>
    public void Skip()
    {
        IsSkipped = true;
        Rounds.Clear();
    }
}
