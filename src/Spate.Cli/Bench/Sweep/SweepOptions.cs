namespace Spate.Cli.Bench.Sweep;

/// <summary>What <see cref="SweepRun"/> measures and for how long.</summary>
internal sealed class SweepOptions
{
    public const int DefaultSizeBytes = 1380;

    /// <summary>The limits are those of <see cref="BenchOptions"/>.</summary>
    public int SizeBytes { get; init; } = DefaultSizeBytes;

    /// <summary>Null takes <c>spate-mmsg-gso-gro</c>, or <c>spate-portable</c> where that one cannot run.</summary>
    public string? RowName { get; init; }

    /// <summary>For both runs. It decides the number and the length of the rounds.</summary>
    public TimeSpan Budget { get; init; } = BenchOptions.DefaultBudget;

    internal void Validate() => new BenchOptions { SizesBytes = [SizeBytes] }.Validate();
}
