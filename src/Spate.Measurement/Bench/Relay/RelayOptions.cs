namespace Spate.Measurement.Bench.Relay;

/// <summary>What <see cref="RelayRun"/> measures and for how long.</summary>
public sealed class RelayOptions
{
    /// <summary>The time a whole run may take unless another budget is named.</summary>
    public static readonly TimeSpan DefaultBudget = TimeSpan.FromSeconds(40);

    /// <summary>The time a quick run may take.</summary>
    public static readonly TimeSpan QuickBudget = TimeSpan.FromSeconds(12);

    /// <summary>The lowest rate: one train of 64 in 64 ms.</summary>
    public const double MinRate = 1000;

    /// <summary>The highest rate, which no relay here comes near.</summary>
    public const double MaxRate = 10_000_000;

    /// <summary>Payload bytes of a datagram; 32 by default, limits as in <see cref="BenchOptions"/>.</summary>
    public int SizeBytes { get; init; } = 32;

    /// <summary>
    /// Datagrams that the generator sends per second, 100,000 by default; <see cref="MinRate"/> to
    /// <see cref="MaxRate"/>.
    /// </summary>
    public double DatagramsPerSecond { get; init; } = 100_000;

    /// <summary>Whether the rows are run with a generator that sends trains. On by default.</summary>
    public bool WithTrains { get; init; } = true;

    /// <summary>Whether they are run with one that sends the same bursts one by one. On by default.</summary>
    public bool WithoutTrains { get; init; } = true;

    /// <summary>The time for everything; round lengths are computed from it.</summary>
    public TimeSpan Budget { get; init; } = DefaultBudget;

    /// <summary>Interleaved rounds, 5 by default; odd numbers have a middle.</summary>
    public int RoundCount { get; init; } = 5;

    /// <summary>Rows to run, by name; null (the default) runs all. Names are those of <see cref="RelayRun"/>.</summary>
    public IReadOnlyList<string>? RowNames { get; init; }

    /// <summary>CPU index of generator and sink; null (the default) takes the first allowed one.</summary>
    public int? GeneratorCpu { get; init; }

    /// <summary>
    /// CPU index of the relay; null (the default) takes the second allowed one. Relays on pool threads are not pinned.
    /// </summary>
    public int? RelayCpu { get; init; }

    internal void Validate()
    {
        new BenchOptions { SizesBytes = [SizeBytes] }.Validate();
        if (!(DatagramsPerSecond is >= MinRate and <= MaxRate))
        {
            throw new BenchException(
                $"{DatagramsPerSecond} datagrams a second cannot be relayed; name {MinRate} to {MaxRate}.");
        }
        if (!WithTrains && !WithoutTrains)
        {
            throw new BenchException("A generator sends with trains or without; name at least one.");
        }
        if (RoundCount is < 1 or > 1001)
        {
            throw new BenchException($"{RoundCount} rounds cannot be run; name 1 to 1001.");
        }
        if (RowNames?.FirstOrDefault(static name => !RelayRun.RowNames.Contains(name, StringComparer.Ordinal))
            is string unknown)
        {
            throw new BenchException(
                $"There is no row {BenchText.OneLine(unknown)}; name some of {string.Join(", ", RelayRun.RowNames)}.");
        }
    }
}
