namespace Spate.Cli.Bench.Sweep;

/// <summary>What <see cref="SweepRun"/> measures and for how long.</summary>
internal sealed class SweepOptions
{
    /// <summary>The default of <see cref="SizeBytes"/>: 1380.</summary>
    public const int DefaultSizeBytes = 1380;

    /// <summary>
    /// Payload bytes of a datagram, 1380 by default; the limits are those of <see cref="BenchOptions"/>.
    /// </summary>
    public int SizeBytes { get; init; } = DefaultSizeBytes;

    /// <summary>
    /// The row of the bench to measure; null (the default) takes <c>spate-mmsg-gso-gro</c>, or <c>spate-portable</c>
    /// where that one cannot run.
    /// </summary>
    public string? RowName { get; init; }

    /// <summary>The time for both runs, 60 s by default. It decides the number and the length of the rounds.</summary>
    public TimeSpan Budget { get; init; } = BenchOptions.DefaultBudget;

    internal void Validate() => new BenchOptions { SizesBytes = [SizeBytes] }.Validate();
}
