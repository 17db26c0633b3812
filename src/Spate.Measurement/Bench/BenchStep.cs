namespace Spate.Measurement.Bench;

/// <summary>
/// Where a bench stands. Reported between rounds on the thread that runs the bench, never while something is measured,
/// so what the receiver of the report does costs no row anything.
/// </summary>
/// <param name="RowName">The row that is about to run.</param>
/// <param name="SizeBytes">Its datagram size in bytes.</param>
/// <param name="Round">The round, from 1; 0 is the warm-up, which is not counted.</param>
/// <param name="RoundCount">How many rounds are measured.</param>
/// <param name="StepIndex">How many steps (a row at a size in a round) are done.</param>
/// <param name="StepCount">How many steps there are in all, warm-up included.</param>
public readonly record struct BenchStep(
    string RowName, int SizeBytes, int Round, int RoundCount, int StepIndex, int StepCount);
