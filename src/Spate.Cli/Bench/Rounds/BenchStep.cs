namespace Spate.Cli.Bench.Rounds;

/// <summary>
/// The progress of a bench. The thread that runs the bench reports it, and never while something is measured, so the
/// receiver of the report delays no measurement.
/// </summary>
/// <param name="RowName">The row that is about to run.</param>
/// <param name="SizeBytes">The row's datagram size in bytes.</param>
/// <param name="Round">The round, from 1; 0 is the warm-up, which is not counted.</param>
/// <param name="RoundCount">The number of measured rounds.</param>
/// <param name="StepIndex">The number of steps that are done. A step is a row at a size in a round.</param>
/// <param name="StepCount">The number of all steps, warm-up included.</param>
internal readonly record struct BenchStep(
    string RowName, int SizeBytes, int Round, int RoundCount, int StepIndex, int StepCount);
