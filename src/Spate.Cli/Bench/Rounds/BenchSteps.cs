namespace Spate.Cli.Bench.Rounds;

/// <summary>Reports the steps of a benchmark. A step is a cell in a round.</summary>
/// <param name="progress">Receives each step before the step starts; null for no progress.</param>
/// <param name="roundCount">The number of planned rounds.</param>
/// <param name="stepCount">The number of planned steps, warm-up included.</param>
internal sealed class BenchSteps(IProgress<BenchStep>? progress, int roundCount, int stepCount)
{
    private int _index;

    /// <summary>Reports the next step.</summary>
    /// <param name="rowName">The row that is about to run.</param>
    /// <param name="sizeBytes">Payload bytes of the row's datagrams.</param>
    /// <param name="round">The round, from 1; 0 for the warm-up.</param>
    public void Report(string rowName, int sizeBytes, int round) =>
        progress?.Report(new BenchStep(rowName, sizeBytes, round, roundCount, _index++, stepCount));
}
