using Spate.Measurement.Reports;

namespace Spate.Measurement.Bench.Rounds;

/// <summary>Reports the steps of a benchmark: a cell in a round each.</summary>
/// <param name="progress">Told about every step before it starts; null for no progress.</param>
/// <param name="roundCount">Rounds that are planned.</param>
/// <param name="stepCount">Steps that are planned, warm-up included.</param>
internal sealed class BenchSteps(IProgress<BenchStep>? progress, int roundCount, int stepCount)
{
    private int _index;

    /// <summary>Reports the next step.</summary>
    /// <param name="rowName">The row that is about to run.</param>
    /// <param name="sizeBytes">Payload bytes of its datagrams.</param>
    /// <param name="round">The round, from 1; 0 for the warm-up.</param>
    public void Report(string rowName, int sizeBytes, int round) =>
        progress?.Report(new BenchStep(rowName, sizeBytes, round, roundCount, _index++, stepCount));
}
