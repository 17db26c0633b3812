namespace Spate.Cli.Bench.Rounds;

/// <summary>The time of one benchmark: used, left, and what fits into the rest. The constructor starts it.</summary>
internal sealed class BenchBudget(TimeSpan total, TimeProvider time)
{
    private readonly long _start = time.GetTimestamp();

    public TimeSpan Total { get; } = total;

    public TimeSpan Elapsed => time.GetElapsedTime(_start);

    /// <summary>Zero when it is used up.</summary>
    public TimeSpan Left => Elapsed < Total ? Total - Elapsed : TimeSpan.Zero;

    /// <summary>The number and the length of the rounds that fit into the time left after a warm-up.</summary>
    /// <param name="overhead">The time that a cell takes besides its round length.</param>
    public static (int RoundCount, TimeSpan Length) Fit(
        TimeSpan left, int cellCount, TimeSpan overhead, int roundCount, TimeSpan minLength, TimeSpan maxLength)
    {
        overhead = overhead > TimeSpan.Zero ? overhead : TimeSpan.Zero;
        int rounds = roundCount;
        TimeSpan length = LengthOf(rounds);
        while (length < minLength && rounds > 1)
        {
            // An odd number of rounds has a middle one, which is the median.
            rounds = rounds > 3 ? rounds - 2 : 1;
            length = LengthOf(rounds);
        }
        return (rounds, length < minLength ? minLength : length > maxLength ? maxLength : length);

        TimeSpan LengthOf(int count) => (left / Math.Max(1, cellCount * count)) - overhead;
    }
}
