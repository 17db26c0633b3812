using Spate.HostTuning.Placement;

namespace Spate.Cli.Bench.Drain;

/// <summary>What <see cref="DrainRun"/> measures and for how long.</summary>
internal sealed class DrainOptions
{
    /// <summary>The limits are those of <see cref="BenchOptions"/>.</summary>
    public IReadOnlyList<int> SizesBytes { get; init => field = RecordList.Copy(value); } = RecordList.Copy([64, 1380]);

    /// <summary>No further round begins when it is used up.</summary>
    public TimeSpan Budget { get; init; } = TimeSpan.FromSeconds(20);

    /// <summary>An odd number has a middle round.</summary>
    public int RoundCount { get; init; } = 21;

    /// <summary>Fewer are sent where the receive buffer that the system grants does not hold as many.</summary>
    public int DatagramCount { get; init; } = 20_000;

    /// <summary>Null takes that of a <see cref="LoopbackPlan"/>.</summary>
    public int? Cpu { get; init; }

    internal void Validate()
    {
        new BenchOptions { SizesBytes = SizesBytes }.Validate();
        BenchOptions.RequireRounds(RoundCount);
        BenchOptions.RequireFilling(DatagramCount);
    }
}
