using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Tune.Trials;

/// <summary>
/// Measures candidates beside the host as it is. In every round each is measured once, in random order: a host that
/// becomes slower favours none of them. What looks better is then measured again, alone beside the host as it is:
/// among many candidates chance makes some look better once, and the one picked for its figure looks better than it is.
/// The second series has samples of its own, and decides.
/// </summary>
/// <param name="measure">Measures on these CPUs; empty where the system chooses.</param>
/// <param name="cancellationToken">Ends the run; every candidate is taken back before.</param>
internal sealed class TrialRun(
    Func<IReadOnlyList<int>, TrialSample> measure,
    TrialOptions options,
    IProgress<TrialStep>? progress,
    CancellationToken cancellationToken)
{
    private const string AsItIs = "the host as it is";

    private readonly Random _random = new(options.Seed);
    private readonly TrialVerdict _verdict = new(double.IsPositiveInfinity(options.Load.DatagramsPerSecond));

    internal TimeProvider Time { get; init; } = TimeProvider.System;

    public TuneTrial[] Execute(IReadOnlyList<TrialCandidate> candidates)
    {
        Side standard = new(null);
        Side[] sides = [.. candidates.Select(static one => new Side(one))];

        // The first measurement loads code and warms caches: no side gets it.
        if (sides.Length > 0) _ = measure([]);
        RunSeries([standard, .. sides], isAgain: false);
        return [.. sides.Select(side => Judge(standard, side))];
    }

    private TuneTrial Judge(Side standard, Side side)
    {
        if (side.Refusal is { } refusal) return TuneTrial.Without(side.Candidate!, refusal, TuneTrial.Refused);

        (TuneTrial first, string? firstCost) = _verdict.Of(side.Candidate!, standard.Samples, side.Samples);
        if (first.Verdict is not TuneTrial.Helps) return firstCost is null ? first : Worse(first, firstCost);

        Side standardAgain = new(null);
        Side again = new(side.Candidate);
        RunSeries([standardAgain, again], isAgain: true);
        if (again.Refusal is { } late) return TuneTrial.Without(side.Candidate!, late, TuneTrial.Refused);

        (TuneTrial second, string? secondCost) = _verdict.Of(side.Candidate!, standardAgain.Samples, again.Samples);
        if (second.Verdict is not TuneTrial.Helps)
        {
            return second with
            {
                Verdict = TuneTrial.Unproven,
                Note = "better at first, but not when it was measured again",
            };
        }

        // Chance makes a figure look worse now and then, but hardly twice.
        return firstCost is not null && secondCost is not null ? Worse(second, secondCost) : second;
    }

    private static TuneTrial Worse(TuneTrial trial, string figure) =>
        trial with { Verdict = TuneTrial.Worse, Note = $"{figure} is worse" };

    private void RunSeries(Side[] sides, bool isAgain)
    {
        int count = options.Repeat * sides.Length;
        for (int index = 0; index < count; index++)
        {
            if (index % sides.Length == 0) _random.Shuffle(sides);
            Side side = sides[index % sides.Length];
            if (side.Refusal is not null) continue;

            cancellationToken.ThrowIfCancellationRequested();
            progress?.Report(new TrialStep(index, count, NameOf(side.Candidate), isAgain));
            Measure(side);
        }
    }

    private void Measure(Side side)
    {
        if (side.Candidate is not { } candidate)
        {
            side.Samples.Add(measure([]));
            return;
        }

        try
        {
            side.Refusal = candidate.Apply();
            if (side.Refusal is not null) return;

            if (Time.Wait(candidate.SettleTime, cancellationToken))
            {
                throw new OperationCanceledException(cancellationToken);
            }

            side.Samples.Add(measure(candidate.Cpus));
        }
        finally
        {
            candidate.TakeBack();
        }

        // A card that is set back needs its time too, before the next side is measured.
        _ = Time.Wait(candidate.SettleTime, cancellationToken);
    }

    private static string NameOf(TrialCandidate? candidate) => candidate switch
    {
        null => AsItIs,
        PlacementCandidate placement => $"CPUs {placement.To}",
        _ => candidate.Check,
    };

    // Null for the host as it is.
    private sealed class Side(TrialCandidate? candidate)
    {
        public TrialCandidate? Candidate { get; } = candidate;

        public List<TrialSample> Samples { get; } = [];

        public string? Refusal { get; set; }
    }
}

/// <summary>The measurement that is about to start.</summary>
internal readonly record struct TrialStep(int Index, int Count, string What, bool IsAgain)
{
    public override string ToString() =>
        $"{(IsAgain ? "again, " : "")}measurement {Index + 1} of {Count}: {What}";
}
