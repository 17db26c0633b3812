namespace Spate.Measurement.Bench.Rounds;

/// <summary>The time of one benchmark: how much of it is used, and what fits into the rest.</summary>
/// <param name="total">The time for everything, set-up included; it begins now.</param>
/// <param name="clock">The clock; null for the system's.</param>
internal sealed class BenchBudget(TimeSpan total, TimeProvider? clock = null)
{
    private readonly TimeProvider _clock = clock ?? TimeProvider.System;
    private readonly long _start = (clock ?? TimeProvider.System).GetTimestamp();

    /// <summary>The time for everything.</summary>
    public TimeSpan Total { get; } = total;

    /// <summary>The time since the beginning.</summary>
    public TimeSpan Elapsed => _clock.GetElapsedTime(_start);

    /// <summary>What is left of the time.</summary>
    public TimeSpan Left => Elapsed < Total ? Total - Elapsed : TimeSpan.Zero;

    /// <summary>How many rounds, and of what length, fit into the time that is left after a warm-up.</summary>
    /// <param name="left">The time that is left.</param>
    /// <param name="cellCount">How many cells there are.</param>
    /// <param name="overhead">What a cell takes besides its length.</param>
    /// <param name="roundCount">The rounds wanted.</param>
    /// <param name="shortest">The least length.</param>
    /// <param name="longest">The length wanted.</param>
    public static (int RoundCount, TimeSpan Length) Fit(
        TimeSpan left, int cellCount, TimeSpan overhead, int roundCount, TimeSpan shortest, TimeSpan longest)
    {
        overhead = overhead > TimeSpan.Zero ? overhead : TimeSpan.Zero;
        int rounds = roundCount;
        TimeSpan length = LengthOf(rounds);
        while (length < shortest && rounds > 1)
        {
            // Odd numbers have a middle.
            rounds = rounds > 3 ? rounds - 2 : 1;
            length = LengthOf(rounds);
        }
        return (rounds, length < shortest ? shortest : length > longest ? longest : length);

        TimeSpan LengthOf(int count) => (left / Math.Max(1, cellCount * count)) - overhead;
    }
}
