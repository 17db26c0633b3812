using System.Globalization;
using System.Runtime.InteropServices;
using Spate.Cli.Comparison;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;

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
                Note = "better at first, but not in the second series",
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

/// <summary>
/// Judges one series of a candidate beside the host as it is, by the tests of <c>spate compare</c>. One figure is
/// judged: what did not arrive of what was offered or, where as much as possible is sent, the rate that arrived.
/// </summary>
internal sealed class TrialVerdict(bool isUnpaced)
{
    private const string Missing = "missingPercent";
    private const string Rate = "datagramsPerSecond";

    public (TuneTrial Row, string? Cost) Of(
        TrialCandidate candidate, IReadOnlyList<TrialSample> before, IReadOnlyList<TrialSample> after)
    {
        CompareRow missing = Judge(Missing, isHigherBetter: false, static one => one.MissingPercent, before, after);
        CompareRow rate = Judge(Rate, isHigherBetter: true, static one => one.DatagramsPerSecond, before, after);
        (CompareRow judged, CompareRow other) = isUnpaced ? (rate, missing) : (missing, rate);
        string? cost = other.Verdict is CompareRow.Worse ? other.Figure : null;
        TuneTrial row = TuneTrial.Without(candidate, note: "") with
        {
            Figure = judged.Figure,
            Samples = Math.Min(before.Count, after.Count),
            MissingPercentBefore = missing.A,
            MissingPercentAfter = missing.B,
            DatagramsPerSecondBefore = rate.A,
            DatagramsPerSecondAfter = rate.B,
            CpuNanosecondsBefore = Statistics.MedianOfKnown(before.Select(static one => one.CpuNanoseconds)),
            CpuNanosecondsAfter = Statistics.MedianOfKnown(after.Select(static one => one.CpuNanoseconds)),
            DifferencePercent = judged.DifferencePercent,
            LowPercent = judged.LowPercent,
            HighPercent = judged.HighPercent,
            ChancePercent = judged.ChancePercent,
            DetectableRatePercent = rate.DetectablePercent,
            Verdict = VerdictOf(judged.Verdict),
            Note = judged.Why ?? NoteOf(judged, rate),
        };
        return (row, cost);
    }

    private static string? NoteOf(CompareRow judged, CompareRow rate) =>
        judged.Verdict is CompareRow.Unproven && rate.DetectablePercent is { } percent
            ? string.Create(CultureInfo.InvariantCulture, $"{percent:0.0} % of the rate would have been detected")
            : null;

    private static CompareRow Judge(
        string figure,
        bool isHigherBetter,
        Func<TrialSample, double> valueOf,
        IReadOnlyList<TrialSample> before,
        IReadOnlyList<TrialSample> after) => ReportComparison.Judge(
            new SampledFigure("", figure, isHigherBetter, [.. before.Select(valueOf)]),
            new SampledFigure("", figure, isHigherBetter, [.. after.Select(valueOf)]));

    private static string VerdictOf(string verdict) => verdict switch
    {
        CompareRow.Better => TuneTrial.Helps,
        CompareRow.Worse => TuneTrial.Worse,
        CompareRow.Unproven => TuneTrial.Unproven,
        _ => TuneTrial.Unjudged,
    };
}

/// <summary>What one measurement gave, of all directions together.</summary>
/// <param name="MissingPercent">Of what was offered: lost, refused by the sender's system, or given up as late.</param>
/// <param name="DatagramsPerSecond">Different datagrams that arrived in a second.</param>
/// <param name="CpuNanoseconds">CPU time of both ends' threads for a datagram; null where it is not known.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct TrialSample(double MissingPercent, double DatagramsPerSecond, double? CpuNanoseconds)
{
    public static TrialSample Of(TestReport report)
    {
        double offered = report.Directions.Sum(static one => (double)one.Offered);
        double unique = report.Directions.Sum(static one => (double)one.Unique);
        return new TrialSample(
            100 * Statistics.Ratio(Math.Max(0, offered - unique), offered),
            report.Directions.Sum(static one => one.DatagramsPerSecond),
            CpuOf(report));
    }

    private static double? CpuOf(TestReport report)
    {
        TrafficReport?[] ends =
            [report.Local.Sent, report.Remote.Received, report.Remote.Sent, report.Local.Received];
        double?[] costs = [.. ends.OfType<TrafficReport>().Select(static end => EndCpu.Of(end).NanosecondsPerDatagram)];
        return costs.Length > 0 && !costs.Contains(null) ? costs.Sum() / report.Directions.Length : null;
    }
}

/// <summary>The traffic of a trial.</summary>
internal sealed record TrialLoad
{
    /// <summary>
    /// The buffer that both ends ask for: what the smallest profile needs. Nothing is forced, so they get what the host
    /// allows every user.
    /// </summary>
    public const int BufferBytes = 16 * 1024 * 1024;

    public static readonly TimeSpan MinDuration = TimeSpan.FromMilliseconds(200);

    public static readonly TimeSpan MaxDuration = TimeSpan.FromSeconds(60);

    public required int SizeBytes { get; init; }

    /// <summary>Datagrams a second; infinite for as many as possible.</summary>
    public double DatagramsPerSecond { get; init; } = double.PositiveInfinity;

    public TimeSpan Duration { get; init; } = TimeSpan.FromSeconds(1);
}

/// <summary>How often candidates are measured, and in which order.</summary>
internal sealed record TrialOptions
{
    /// <summary>The least number of measurements: below it there is no verdict.</summary>
    public const int MinRepeat = ReportComparison.MinSamples;

    public const int MaxRepeat = 50;

    public required TrialLoad Load { get; init; }

    /// <summary>How often each candidate is measured in a series. Default: 7.</summary>
    public int Repeat { get; init; } = 7;

    public required int Seed { get; init; }

    public TimeSpan EstimateSeries(int sides, TimeSpan setUpTime) => Repeat * sides * (Load.Duration + setUpTime);
}
