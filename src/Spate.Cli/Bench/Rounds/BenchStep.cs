namespace Spate.Cli.Bench.Rounds;

/// <summary>The progress of a bench, never reported while something is measured, so as not to disturb it.</summary>
/// <param name="Round">The round, from 1; 0 is the warm-up, which is not counted.</param>
/// <param name="StepCount">The number of all steps, warm-up included.</param>
internal readonly record struct BenchStep(
    string RowName, int SizeBytes, int Round, int RoundCount, int StepIndex, int StepCount);
