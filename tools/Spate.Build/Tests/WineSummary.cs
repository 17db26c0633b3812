namespace Spate.Build.Tests;

/// <summary>What ran under Wine: counts of each part of the tests, and what Wine lacks.</summary>
internal static class WineSummary
{
    /// <summary>The prefix of a skip for something that Wine lacks; Wine of the tests writes it.</summary>
    private const string Mark = "Wine: ";

    /// <summary>The lines of the table, and one for each reason that is Wine's.</summary>
    public static IEnumerable<string> Lines(IReadOnlyCollection<TestResult> results)
    {
        yield return "  passed  failed  skipped: Wine  skipped: other  part";
        foreach (IGrouping<string, TestResult> part in results.GroupBy(PartOf).OrderBy(
            static part => part.Key, StringComparer.Ordinal))
        {
            int ofWine = part.Count(IsOfWine);
            yield return $"{Count(part, TestOutcome.Passed),8}{Count(part, TestOutcome.Failed),8}{ofWine,15}"
                + $"{Count(part, TestOutcome.Skipped) + Count(part, TestOutcome.NotJudged) - ofWine,16}  {part.Key}";
        }

        foreach (IGrouping<string, TestResult> reason in results.Where(IsOfWine)
            .GroupBy(static one => one.Message).OrderBy(static reason => reason.Key, StringComparer.Ordinal))
        {
            yield return $"{reason.Key}: {reason.Count()} tests";
        }
    }

    // The contract is a class of its own; of the others, a folder is a part.
    private static string PartOf(TestResult result)
    {
        string[] words = (result.Method ?? result.Name).Split('.');
        return string.Join('.', words.Take(words is [_, _, "Contracts", ..] ? 4 : words.Length < 5 ? 2 : 3));
    }

    private static bool IsOfWine(TestResult result) =>
        result.Outcome == TestOutcome.Skipped && result.Message.StartsWith(Mark, StringComparison.Ordinal);

    private static int Count(IEnumerable<TestResult> results, TestOutcome outcome) =>
        results.Count(one => one.Outcome == outcome);
}
