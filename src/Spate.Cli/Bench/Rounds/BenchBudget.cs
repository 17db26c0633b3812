namespace Spate.Cli.Bench.Rounds;

/// <summary>The time of one benchmark: what is used, what is left, and what fits into the rest.</summary>
/// <param name="total">The time for the whole benchmark, set-up included. It begins now.</param>
/// <param name="time">The clock.</param>
internal sealed class BenchBudget(TimeSpan total, TimeProvider time)
{
    private readonly long _start = time.GetTimestamp();

    /// <summary>The time for the whole benchmark.</summary>
    public TimeSpan Total { get; } = total;

    /// <summary>The time since the beginning.</summary>
    public TimeSpan Elapsed => time.GetElapsedTime(_start);

    /// <summary>The time that is left; zero when it is used up.</summary>
    public TimeSpan Left => Elapsed < Total ? Total - Elapsed : TimeSpan.Zero;

    /// <summary>The number and the length of the rounds that fit into the time left after a warm-up.</summary>
    /// <param name="left">The time that is left.</param>
    /// <param name="cellCount">The number of cells.</param>
    /// <param name="overhead">The time that a cell takes besides its round length.</param>
    /// <param name="roundCount">The wanted number of rounds.</param>
    /// <param name="minLength">The shortest round length.</param>
    /// <param name="maxLength">The wanted round length.</param>
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
