namespace Spate.Cli.Bench.Rounds;

/// <summary>Reports the steps of a benchmark. A step is a cell in a round.</summary>
internal sealed class BenchSteps(IProgress<BenchStep>? progress, int roundCount, int stepCount)
{
    private int _index;

    /// <summary>Round 0 is the warm-up.</summary>
    public void Report(string rowName, int sizeBytes, int round) =>
        progress?.Report(new BenchStep(rowName, sizeBytes, round, roundCount, _index++, stepCount));
}
