namespace Spate.Build.Tests;

/// <summary>The results of all runs, where a second try takes the place of the first.</summary>
internal sealed class TestTotals
{
    private readonly List<(string Program, TestResult Result)> _settled = [];
    private readonly List<(string Program, TestResult First)> _unsettled = [];
    private readonly HashSet<(string Program, string Method)> _tried = [];
    private readonly List<(string Program, TestResult Result)> _second = [];

    public TestTotals(IEnumerable<TestRunEnd> ends)
    {
        foreach (TestRunEnd end in ends)
        {
            foreach (TestResult one in end.Results)
            {
                bool isSettled = one.Method is null || one.Outcome is TestOutcome.Passed or TestOutcome.Skipped;
                (isSettled ? _settled : _unsettled).Add((end.Run.Program, one));
            }
        }
    }

    /// <summary>The methods that failed or could not judge, and have not been tried again.</summary>
    public IReadOnlyCollection<(string Program, string Method)> Unsettled =>
        [.. _unsettled.Select(static one => (one.Program, one.First.Method!)).Distinct().Except(_tried)];

    public int Passed => Count(TestOutcome.Passed);

    public int Failed => Count(TestOutcome.Failed);

    /// <summary>Tests that were skipped, and those that could not judge.</summary>
    public int Skipped => Count(TestOutcome.Skipped) + Count(TestOutcome.NotJudged);

    public void AddSecondTry(TestRunEnd end)
    {
        foreach (TestResult one in end.Results)
        {
            if (one.Method is not null) _tried.Add((end.Run.Program, one.Method));
            _second.Add((end.Run.Program, one));
        }
    }

    /// <summary>What a reader must know: why tests were skipped, which passed only alone, and which failed.</summary>
    public IEnumerable<string> Lines()
    {
        IEnumerable<TestResult> all = All();
        TestResult[] skipped = [.. all.Where(static one => one.Outcome == TestOutcome.Skipped)];
        foreach (TestResult one in skipped.Where(static one => !one.IsForLongRun))
        {
            yield return $"skipped: {one.Name}: {one.Message.ReplaceLineEndings(" ")}";
        }

        int left = skipped.Count(static one => one.IsForLongRun);
        if (left > 0) yield return $"skipped: {left} tests that --long runs";

        foreach (TestResult one in all.Where(static one => one.Outcome == TestOutcome.NotJudged))
        {
            yield return $"not judged: {one.Name}: {one.Message[TestResult.NotJudgedMark.Length..]}";
        }

        foreach (TestResult one in _unsettled.Where(one => EndOf(one).Outcome == TestOutcome.Passed)
            .Select(static one => one.First))
        {
            yield return $"passed at the second try: {one.Name}";
        }

        foreach (TestResult one in all.Where(static one => one.Outcome == TestOutcome.Failed))
        {
            yield return $"FAILED: {one.Name}";
        }
    }

    private int Count(TestOutcome outcome) => All().Count(one => one.Outcome == outcome);

    private IEnumerable<TestResult> All() =>
        [.. _settled.Select(static one => one.Result), .. _unsettled.Select(EndOf)];

    // A second try that has no test of that name, as of a program that crashed, settles nothing.
    private TestResult EndOf((string Program, TestResult First) one)
    {
        TestResult[] second =
        [
            .. _second.Where(other => other.Program == one.Program && other.Result.Name == one.First.Name)
                .Select(static other => other.Result),
        ];
        return Array.Find(second, static other => other.Outcome == TestOutcome.Failed)
            ?? second.FirstOrDefault()
            ?? one.First;
    }
}
