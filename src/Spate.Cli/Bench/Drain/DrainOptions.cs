using Spate.HostTuning.Placement;

namespace Spate.Cli.Bench.Drain;

/// <summary>What <see cref="DrainRun"/> measures and for how long.</summary>
internal sealed class DrainOptions
{
    /// <summary>
    /// Datagram sizes in bytes, 64 and 1380 by default; the limits are those of <see cref="BenchOptions"/>.
    /// </summary>
    public IReadOnlyList<int> SizesBytes { get; init => field = RecordList.Copy(value); } = RecordList.Copy([64, 1380]);

    /// <summary>The time for the whole bench, 20 s by default. No further round begins when it is used up.</summary>
    public TimeSpan Budget { get; init; } = TimeSpan.FromSeconds(20);

    /// <summary>The number of interleaved rounds, 21 by default. An odd number has a middle round.</summary>
    public int RoundCount { get; init; } = 21;

    /// <summary>
    /// The number of datagrams that fill a socket, 20,000 by default. Fewer are sent where the receive buffer that the
    /// system grants does not hold as many.
    /// </summary>
    public int DatagramCount { get; init; } = 20_000;

    /// <summary>CPU index of the measuring thread; null takes that of a <see cref="LoopbackPlan"/>.</summary>
    public int? Cpu { get; init; }

    internal void Validate()
    {
        new BenchOptions { SizesBytes = SizesBytes }.Validate();
        BenchOptions.RequireRounds(RoundCount);
        BenchOptions.RequireFilling(DatagramCount);
    }
}
