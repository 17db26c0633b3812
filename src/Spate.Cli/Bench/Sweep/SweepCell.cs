using Spate.Cli.Bench.Rounds;
using Spate.HostTuning.Placement;

namespace Spate.Cli.Bench.Sweep;

/// <summary>A placement with the values of its rounds, in the first run or again in the second.</summary>
internal sealed class SweepCell(CpuTrial trial, int sizeBytes, bool isAgain)
    : BenchCell<double>(NameOf(trial.Option, isAgain), sizeBytes)
{
    public CpuTrial Trial { get; } = trial;

    /// <summary>The name of a placement in the progress and among the limits.</summary>
    public static string NameOf(string cpuOption, bool isAgain) => $"{(isAgain ? "again " : "")}--cpu {cpuOption}";
}
