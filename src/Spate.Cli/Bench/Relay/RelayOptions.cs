using Spate.Cli.Shell;
using Spate.HostTuning.Placement;

namespace Spate.Cli.Bench.Relay;

/// <summary>What <see cref="RelayRun"/> measures and for how long.</summary>
internal sealed class RelayOptions
{
    public static readonly TimeSpan DefaultBudget = TimeSpan.FromSeconds(40);

    public static readonly TimeSpan QuickBudget = TimeSpan.FromSeconds(12);

    /// <summary>The lowest rate in datagrams per second: one GSO message of 64 in 64 ms.</summary>
    public const double MinRate = 1000;

    /// <summary>The highest rate in datagrams per second, far above what any of the relays reaches.</summary>
    public const double MaxRate = 10_000_000;

    /// <summary>The limits are those of <see cref="BenchOptions"/>.</summary>
    public int SizeBytes { get; init; } = 32;

    /// <summary>From <see cref="MinRate"/> to <see cref="MaxRate"/>.</summary>
    public double DatagramsPerSecond { get; init; } = 100_000;

    /// <summary>Whether every row runs with a generator that sends GSO messages.</summary>
    public bool WithGso { get; init; } = true;

    /// <summary>Whether every row runs with a generator that sends bursts of single datagrams.</summary>
    public bool WithoutGso { get; init; } = true;

    /// <summary>It decides the length of the rounds.</summary>
    public TimeSpan Budget { get; init; } = DefaultBudget;

    /// <summary>An odd number has a middle round.</summary>
    public int RoundCount { get; init; } = 5;

    /// <summary>Some of <see cref="RelayRun.RowNames"/>; null runs all.</summary>
    public IReadOnlyList<string>? RowNames { get; init => field = RecordList.Copy(value); }

    /// <summary>Also that of the sink; null takes that of a <see cref="LoopbackPlan"/>.</summary>
    public int? GeneratorCpu { get; init; }

    /// <summary>Null takes that of a <see cref="LoopbackPlan"/>. Relays on pool threads are not pinned.</summary>
    public int? RelayCpu { get; init; }

    internal void Validate()
    {
        new BenchOptions { SizesBytes = [SizeBytes] }.Validate();
        if (!(DatagramsPerSecond is >= MinRate and <= MaxRate))
        {
            throw new BenchException(
                $"{DatagramsPerSecond} datagrams a second cannot be relayed; name {MinRate} to {MaxRate}.");
        }
        if (!WithGso && !WithoutGso)
        {
            throw new BenchException("A generator sends with GSO messages or without; name at least one.");
        }
        BenchOptions.RequireRounds(RoundCount);
        BenchOptions.RequireRows(RowNames, RelayRun.RowNames);
    }
}
