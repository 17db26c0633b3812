using System.Globalization;
using FsCheck;
using FsCheck.Fluent;
using Spate.Cli.Bench;
using Spate.Measurement.Reports.Conditions;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Reports.Conditions;

public sealed class ReportConditionPropertyTests
{
    private static readonly string[] Operators = ["<", "<=", ">", ">=", "==", "!="];

    private static readonly (string Text, decimal Value)[] Units =
        [("", 1), ("k", 1000), ("K", 1000), ("m", 1_000_000), ("G", 1_000_000_000)];

    private static readonly string[] Names =
        [.. NearestNames.PathsIn(ReportNode.Of(BenchJson.Default.BenchReport), "", 0)];

    private static Gen<string> Spaces => Gen.Elements("", " ", "   ");

    // Few values, so that equal ones are likely, and some with many digits.
    private static Gen<decimal> Numbers => Gen.OneOf(
        Gen.Choose(-3, 3).Select(static whole => (decimal)whole),
        Gen.Choose(-3000, 3000).Select(static thousandths => thousandths / 1000m),
        Gen.Choose(int.MinValue, int.MaxValue).Select(static large => large * 1_000_000_007m));

    // Text that is nearly right: pieces of conditions in any order.
    private static Gen<string> NearlyConditions =>
        from count in Gen.Choose(0, 12)
        from pieces in Gen.Elements(
            "rows", "lostPercent", "rounds", "kind", "samples", "threads", "name", ".", "..", "[", "]", "[*]", "[0]",
            "[spate-mmsg]", "*", ",", "=", "==", "!=", "<", ">=", "!", " ", "'", "\"", "5", "-", "1k", "%", "null",
            "true", "\0", "\u001b[31m", "\n", "\u0663", "\uD800", "é").ArrayOf(count)
        select string.Concat(pieces);

    [Fact]
    public void Judge_AnyNumbers_AgreesWithTheComparison() => PropertyCheck.Hold(
        from actual in Gen.Choose(-3_000_000, 3_000_000)
        from asked in Numbers
        from unit in Gen.Elements(Units)
        from comparison in Gen.Elements(Operators)
        from spaces in Spaces.ArrayOf(4)
        select (Actual: actual, Asked: asked, Unit: unit, Comparison: comparison, Spaces: spaces),
        made =>
        {
            string number = made.Asked.ToString(CultureInfo.InvariantCulture) + made.Unit.Text;
            string[] spaces = made.Spaces;
            string text = $"{spaces[0]}lost{spaces[1]}{made.Comparison}{spaces[2]}{number}{spaces[3]}";
            int order = ((decimal)made.Actual).CompareTo(made.Asked * made.Unit.Value);
            bool expected = made.Comparison switch
            {
                "<" => order < 0,
                "<=" => order <= 0,
                ">" => order > 0,
                ">=" => order >= 0,
                "==" => order == 0,
                _ => order != 0,
            };
            var report = new TrafficReport { Lost = made.Actual };
            return ReportCondition.TryParse(
                TrafficJson.Default.TrafficReport, text, out ReportCondition? condition, out _)
                && expected == (ReportCondition.Judge([condition], report).Count == 1);
        });

    [Fact]
    public void Judge_ElementsOfAList_HoldsIfOneOfThemMeetsIt() => PropertyCheck.Hold(
        from values in Gen.Choose(0, 4).ArrayOf()
        from asked in Gen.Choose(0, 4)
        select (values, asked),
        made =>
        {
            var report = new TrafficReport
            {
                Intervals = [.. made.values.Select(static value => new IntervalReport { Datagrams = value })],
            };
            IReadOnlyList<string> lines = Judge(report, $"intervals[*].datagrams == {made.asked}");
            int count = made.values.Count(value => value == made.asked);
            return (count, made.values.Length) switch
            {
                (0, 0) => lines.Single().EndsWith("so the check fails", StringComparison.Ordinal),
                (0, _) => lines.Count == 0,
                (1, _) => !lines.Single().Contains("more", StringComparison.Ordinal),
                _ => lines.Single().EndsWith($"(and {count - 1} more)", StringComparison.Ordinal),
            };
        });

    [Fact]
    public void TryParse_TextBetweenQuotes_IsTakenAsItIs() => PropertyCheck.Hold(
        ArbMap.Default.GeneratorFor<NonNull<string>>(),
        made =>
        {
            string text = new([.. made.Get.Where(static c => c is not '"' && !char.IsSurrogate(c)).Take(200)]);
            var report = new TrafficReport { Backend = text };
            return Judge(report, $"backend == \"{text}\"").Count == 1
                && Judge(report, $"backend == \"{text}x\"").Count == 0;
        });

    [Fact]
    public void TryParse_NameWithAWrongLetter_SuggestsTheName() => PropertyCheck.Hold(
        from name in Gen.Elements(Names.Where(static name => name.Length > 8).ToArray())
        from position in Gen.Choose(0, 3)
        select (name, position),
        made =>
        {
            int at = made.name.Length - 1 - made.position;
            string wrong = $"{made.name[..at]}x{made.name[(at + 1)..]}";
            return made.name.EndsWith(']')
                || made.name[at] is 'x' or '.'
                || (!ReportCondition.TryParse(
                    BenchJson.Default.BenchReport, $"{wrong} == null", out _, out string? error)
                    && error.Contains(made.name, StringComparison.Ordinal));
        });

    [Fact]
    public void TryParse_NearlyACondition_IsRightOrSaysWhyInOnePrintableLine() => PropertyCheck.Hold(
        NearlyConditions,
        static text =>
        {
            if (ReportCondition.TryParse(
                BenchJson.Default.BenchReport, text, out ReportCondition? condition, out string? error))
            {
                _ = ReportCondition.Judge([condition], SampleReports.Bench());
                return error is null;
            }

            return condition is null && error.Length is > 0 and < 500 && error.All(static c => c is >= ' ' and <= '~');
        });

    private static IReadOnlyList<string> Judge(TrafficReport report, string text) =>
        ReportCondition.TryParse(
            TrafficJson.Default.TrafficReport, text, out ReportCondition? condition, out string? error)
            ? ReportCondition.Judge([condition], report)
            : throw new ArgumentException(error, nameof(text));
}
