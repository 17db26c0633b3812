namespace Spate.Measurement.Bench;

/// <summary>
/// The time of one bench: how much of its budget is used, whether another round fits, and which rounds count when it
/// is interrupted. Every engine runs its cells (a row at a size) through it, in interleaved rounds.
/// </summary>
/// <param name="budget">The time for everything, set-up included; it begins now.</param>
/// <param name="cancellationToken">Interrupts the bench; the rounds that are complete by then count.</param>
/// <param name="clock">The clock; null for the system's.</param>
internal sealed class BenchPace(TimeSpan budget, CancellationToken cancellationToken, TimeProvider? clock = null)
{
    /// <summary>Why a row did not run that the time was too short for.</summary>
    public const string NoTimeLeft = "no time was left for it; allow a longer time, or measure less";

    private readonly TimeProvider _clock = clock ?? TimeProvider.System;
    private readonly long _start = (clock ?? TimeProvider.System).GetTimestamp();

    /// <summary>The time since the beginning.</summary>
    public TimeSpan Elapsed => _clock.GetElapsedTime(_start);

    /// <summary>What is left of the budget.</summary>
    public TimeSpan Left => Elapsed < budget ? budget - Elapsed : TimeSpan.Zero;

    /// <summary>The fault of a bench of which no row ran: one reason, however many rows have it.</summary>
    public static BenchException NothingRan(IReadOnlyList<BenchSkippedRow> skipped)
    {
        IReadOnlyList<BenchSkippedRow> kinds = BenchSkippedRow.Join(skipped);
        string more = kinds.Count > 1 ? $" (and {kinds.Count - 1} other reasons)" : "";
        string reason = kinds.Count > 0 ? $": {kinds[0].Reason}" : "";
        return new BenchException($"No row could run{reason}{more}");
    }

    /// <summary>
    /// Runs every cell once, uncounted. Half of the time is the most that it takes: the rest is for a round.
    /// </summary>
    /// <param name="cellCount">How many cells there are.</param>
    /// <param name="until">When the rounds must end, from the beginning.</param>
    /// <param name="run">Runs a cell, in round 0.</param>
    /// <param name="giveUp">Told of a cell that there was no time for; null where all are run all the same.</param>
    /// <returns>What it took per cell.</returns>
    public TimeSpan WarmUp(int cellCount, TimeSpan until, Action<int, int> run, Action<int>? giveUp = null)
    {
        TimeSpan before = Elapsed;
        RunPass(0, cellCount, before + ((until - before) / 2), run, giveUp);
        return (Elapsed - before) / Math.Max(1, cellCount);
    }

    /// <summary>
    /// Runs measured rounds, those that fit: one is run in any case, less the cells that there is no time for.
    /// </summary>
    /// <param name="cellCount">How many cells there are.</param>
    /// <param name="roundCount">The most rounds.</param>
    /// <param name="until">When they must end, from the beginning.</param>
    /// <param name="run">Runs a cell in a round, the first of which is 1.</param>
    /// <param name="giveUp">Told of a cell that there was no time for; null where all are run all the same.</param>
    /// <returns>Rounds that are complete; see <see cref="Keep"/>.</returns>
    /// <exception cref="OperationCanceledException">Interrupted before the end of the first round.</exception>
    public int RunRounds(
        int cellCount, int roundCount, TimeSpan until, Action<int, int> run, Action<int>? giveUp = null)
    {
        TimeSpan lastPass = TimeSpan.Zero;
        int complete = 0;
        while (cellCount > 0 && complete < roundCount)
        {
            TimeSpan before = Elapsed;
            if (complete > 0 && before + lastPass > until)
            {
                // The machine is slower than planned: fewer rounds rather than a run that overstays.
                break;
            }
            try
            {
                RunPass(complete + 1, cellCount, until, run, complete == 0 ? giveUp : null);
            }
            catch (OperationCanceledException) when (complete > 0)
            {
                break;
            }
            complete++;
            lastPass = Elapsed - before;
        }
        return complete;
    }

    /// <summary>Drops what was measured in a round that an interruption left incomplete.</summary>
    public static void Keep<T>(List<T> rounds, int roundCount)
    {
        if (rounds.Count > roundCount)
        {
            rounds.RemoveRange(roundCount, rounds.Count - roundCount);
        }
    }

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

    private void RunPass(int round, int cellCount, TimeSpan until, Action<int, int> run, Action<int>? giveUp)
    {
        bool isFirst = true;
        foreach (int index in BenchPlan.Order(round, cellCount))
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (!isFirst && giveUp is not null && Elapsed > until)
            {
                giveUp(index);
                continue;
            }
            run(index, round);
            isFirst = false;
        }
    }
}
