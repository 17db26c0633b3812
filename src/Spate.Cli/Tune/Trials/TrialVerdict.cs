using System.Globalization;
using Spate.Cli.Comparison;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Tune.Trials;

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
            ? string.Create(CultureInfo.InvariantCulture, $"{percent:0.0} % of the rate would have shown")
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
