namespace Spate.Measurement.Bench;

/// <summary>How a time budget is spent: how many rounds, how long each. Pure.</summary>
/// <param name="RoundCount">Measured rounds over all cells (a cell: a row at a size); odd, for medians.</param>
/// <param name="RoundDuration">How long the sender sends in one cell of one round.</param>
/// <param name="WarmUpDuration">How long it sends in the uncounted first round.</param>
internal sealed record BenchPlan(int RoundCount, TimeSpan RoundDuration, TimeSpan WarmUpDuration)
{
    /// <summary>What a round needs besides sending: a collection, opening, draining, closing.</summary>
    public static readonly TimeSpan RoundOverhead = TimeSpan.FromMilliseconds(60);

    // The rest is for starting up and for a scheduler that is late.
    private const double UsableShare = 0.92;

    /// <summary>Shorter rounds tell nothing.</summary>
    public static readonly TimeSpan ShortestRound = TimeSpan.FromMilliseconds(40);

    private static readonly TimeSpan LongestRound = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongestWarmUp = TimeSpan.FromMilliseconds(200);

    // What is worth having, best first: below the length given, fewer and longer rounds tell more.
    private static readonly (int RoundCount, int LeastMilliseconds)[] Choices = [(7, 250), (5, 200), (3, 40), (1, 40)];

    /// <summary>Spends <paramref name="budget"/> less <paramref name="reserved"/> on all cells.</summary>
    /// <exception cref="BenchException">There is not even time for one short round of each.</exception>
    public static BenchPlan Create(int rowCount, int sizeCount, TimeSpan budget, TimeSpan reserved)
    {
        int cellCount = rowCount * sizeCount;
        if (cellCount == 0) return new BenchPlan(0, TimeSpan.Zero, TimeSpan.Zero);
        TimeSpan perCell = ((budget * UsableShare) - reserved) / cellCount;
        foreach ((int roundCount, int leastMilliseconds) in Choices)
        {
            // The warm-up is as long as a round until the rounds are longer than it need be.
            TimeSpan sending = perCell - (RoundOverhead * (roundCount + 1));
            TimeSpan round = sending / (roundCount + 1);
            if (round > LongestWarmUp) round = (sending - LongestWarmUp) / roundCount;
            if (round.TotalMilliseconds >= leastMilliseconds)
            {
                round = round < LongestRound ? round : LongestRound;
                return new BenchPlan(roundCount, round, round < LongestWarmUp ? round : LongestWarmUp);
            }
        }
        throw new BenchException(
            $"{rowCount} rows at {sizeCount} sizes do not fit in {budget.TotalSeconds:0.#} s; "
            + "name fewer rows or sizes, or a longer time.");
    }
}
