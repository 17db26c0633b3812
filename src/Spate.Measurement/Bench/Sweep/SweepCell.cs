using Spate.HostTuning.Placement;
using Spate.Measurement.Bench.Rounds;

namespace Spate.Measurement.Bench.Sweep;

/// <summary>A placement with the values of its rounds.</summary>
/// <param name="trial">The placement.</param>
/// <param name="sizeBytes">Payload bytes of a datagram.</param>
/// <param name="prefix">What stands before its name in the progress.</param>
internal sealed class SweepCell(CpuTrial trial, int sizeBytes, string prefix)
    : BenchCell<double>($"{prefix}--cpu {trial.Option}", sizeBytes)
{
    public CpuTrial Trial { get; } = trial;
}
