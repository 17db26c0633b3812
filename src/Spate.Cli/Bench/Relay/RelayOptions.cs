using Spate.Cli.Shell;
using Spate.HostTuning.Placement;

namespace Spate.Cli.Bench.Relay;

/// <summary>What <see cref="RelayRun"/> measures and for how long.</summary>
internal sealed class RelayOptions
{
    /// <summary>The default of <see cref="Budget"/>: 40 s.</summary>
    public static readonly TimeSpan DefaultBudget = TimeSpan.FromSeconds(40);

    /// <summary>The budget of a quick run: 12 s.</summary>
    public static readonly TimeSpan QuickBudget = TimeSpan.FromSeconds(12);

    /// <summary>The lowest rate in datagrams per second: one GSO message of 64 in 64 ms.</summary>
    public const double MinRate = 1000;

    /// <summary>The highest rate in datagrams per second, far above what any of the relays reaches.</summary>
    public const double MaxRate = 10_000_000;

    /// <summary>
    /// Payload bytes of a datagram, 32 by default; the limits are those of <see cref="BenchOptions"/>.
    /// </summary>
    public int SizeBytes { get; init; } = 32;

    /// <summary>
    /// Datagrams that the generator sends per second, 100,000 by default, from <see cref="MinRate"/> to
    /// <see cref="MaxRate"/>.
    /// </summary>
    public double DatagramsPerSecond { get; init; } = 100_000;

    /// <summary>Whether every row runs with a generator that sends GSO messages. On by default.</summary>
    public bool WithGso { get; init; } = true;

    /// <summary>Whether every row runs with a generator that sends bursts of single datagrams. On by default.</summary>
    public bool WithoutGso { get; init; } = true;

    /// <summary>The time for the whole bench, 40 s by default; it decides the length of the rounds.</summary>
    public TimeSpan Budget { get; init; } = DefaultBudget;

    /// <summary>The number of interleaved rounds, 5 by default. An odd number has a middle round.</summary>
    public int RoundCount { get; init; } = 5;

    /// <summary>Names of the rows to run, of <see cref="RelayRun.RowNames"/>; null (the default) runs all.</summary>
    public IReadOnlyList<string>? RowNames { get; init => field = RecordList.Copy(value); }

    /// <summary>CPU index of the generator and the sink; null takes that of a <see cref="LoopbackPlan"/>.</summary>
    public int? GeneratorCpu { get; init; }

    /// <summary>
    /// CPU index of the relay; null takes that of a <see cref="LoopbackPlan"/>. Relays on pool threads are not
    /// pinned.
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
        if (!WithGso && !WithoutGso)
        {
            throw new BenchException("A generator sends with GSO messages or without; name at least one.");
        }
        BenchOptions.RequireRounds(RoundCount);
        BenchOptions.RequireRows(RowNames, RelayRun.RowNames);
    }
}
