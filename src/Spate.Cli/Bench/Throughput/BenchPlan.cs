using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Throughput;

/// <summary>How a time budget is divided: an odd number of rounds, for medians, and an uncounted warm-up.</summary>
internal sealed record BenchPlan(int RoundCount, TimeSpan RoundDuration, TimeSpan WarmUpDuration)
{
    /// <summary>What a round takes besides sending: a garbage collection, opening, draining and closing.</summary>
    public static readonly TimeSpan RoundOverhead = TimeSpan.FromMilliseconds(60);

    /// <summary>The shortest round. In a shorter one, opening and closing disturb the figures too much.</summary>
    public static readonly TimeSpan MinRound = TimeSpan.FromMilliseconds(40);

    // The rest of the budget is for starting the process and for delays of the scheduler.
    private const double UsableShare = 0.92;

    private static readonly TimeSpan MaxRound = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MaxWarmUp = TimeSpan.FromMilliseconds(200);

    // The best choice comes first. If its rounds were shorter than its minimum, fewer and longer ones vary less.
    private static readonly (int RoundCount, int MinMilliseconds)[] Choices = [(7, 250), (5, 200), (3, 40), (1, 40)];

    /// <summary>Divides <paramref name="budget"/> less <paramref name="reserved"/> among all cells.</summary>
    public static BenchPlan Create(int rowCount, int sizeCount, TimeSpan budget, TimeSpan reserved)
    {
        int cellCount = rowCount * sizeCount;
        if (cellCount == 0) return new BenchPlan(0, TimeSpan.Zero, TimeSpan.Zero);
        TimeSpan perCell = ((budget * UsableShare) - reserved) / cellCount;
        foreach ((int roundCount, int minMilliseconds) in Choices)
        {
            // The warm-up is as long as a round, but never longer than it needs to be.
            TimeSpan sending = perCell - (RoundOverhead * (roundCount + 1));
            TimeSpan round = sending / (roundCount + 1);
            if (round > MaxWarmUp) round = (sending - MaxWarmUp) / roundCount;
            if (round.TotalMilliseconds >= minMilliseconds)
            {
                round = round < MaxRound ? round : MaxRound;
                return new BenchPlan(roundCount, round, round < MaxWarmUp ? round : MaxWarmUp);
            }
        }
        throw new BenchException(
            $"{rowCount} rows at {sizeCount} sizes do not fit in {budget.TotalSeconds:0.#} s; "
            + "name fewer rows or sizes, or a longer time.");
    }
}
