namespace Spate.Build.Tests;

/// <summary>The results of all runs. A second try settles a test that failed or could not judge.</summary>
internal sealed class TestTotals
{
    // These look at files or packages, which no neighbour of the machine disturbs.
    private static readonly string[] TriedOnce = ["Spate.RepoTests.", "Spate.HostTests.Abi."];

    private readonly List<(string Program, TestResult First)> _settled = [];
    private readonly List<(string Program, TestResult First)> _unsettled = [];
    private readonly List<(string Program, TestResult Result)> _second = [];

    public TestTotals(IEnumerable<TestRunEnd> ends)
    {
        foreach (TestRunEnd end in ends)
        {
            foreach (TestResult one in end.Results)
            {
                bool isSettled = one.Method is null
                    || Array.Exists(TriedOnce, space => one.Method.StartsWith(space, StringComparison.Ordinal))
                    || one.Outcome is TestOutcome.Passed or TestOutcome.Skipped or TestOutcome.NotNative;
                (isSettled ? _settled : _unsettled).Add((end.Run.Program, one));
            }
        }
    }

    /// <summary>Tests that are to be tried again: the program, the method, and the seed of the first try.</summary>
    public IReadOnlyCollection<(string Program, string Method, string? Seed)> Unsettled =>
        [.. _unsettled.Select(static one => (one.Program, one.First.Method!, one.First.Seed)).Distinct()];

    public int Passed => Count(TestOutcome.Passed);

    public int Failed => Count(TestOutcome.Failed);

    /// <summary>Tests that were skipped, and those that could not judge.</summary>
    public int Skipped => Count(TestOutcome.Skipped) + Count(TestOutcome.NotJudged);

    /// <summary>How many tests a run of the native tool counts, and why not the others.</summary>
    public string NativeLine =>
        $"{Passed} tests passed with the native tool; {All().Count(static one => one.StaysInside)} are skipped since "
        + $"the command is in their process; {Count(TestOutcome.NotNative)} start no process of it and are not counted";

    /// <summary>Tests that failed at one try, and passed at the other.</summary>
    public int PassedOnce => MendedNames().Count() + LaterNames().Count();

    public void AddSecondTry(TestRunEnd end) =>
        _second.AddRange(end.Results.Select(one => (end.Run.Program, one)));

    /// <summary>The lines of the summary: skipped, not judged, passed only alone, failed.</summary>
    public IEnumerable<string> Lines()
    {
        TestResult[] all = All();
        TestResult[] skipped = Array.FindAll(all, static one => one.Outcome == TestOutcome.Skipped);
        foreach (TestResult one in skipped.Where(static one => !one.IsForAnotherRun))
        {
            yield return $"skipped: {one.Name}: {one.Message.ReplaceLineEndings(" ")}";
        }

        int left = skipped.Count(static one => one.IsForLongRun);
        if (left > 0) yield return $"skipped: {left} tests that --long runs";

        int native = skipped.Count(static one => one.IsForNativeRun);
        if (native > 0) yield return $"skipped: {native} tests that --native runs";

        int windows = skipped.Count(static one => one.IsForWindowsRun);
        if (windows > 0) yield return $"skipped: {windows} tests that --windows runs";

        foreach (TestResult one in all.Where(static one => one.Outcome == TestOutcome.NotJudged))
        {
            yield return $"not judged: {one.Name}: {one.Message[TestResult.NotJudgedMark.Length..]}";
        }

        foreach (string name in MendedNames()) yield return $"passed at the second try: {name}";
        foreach (string name in LaterNames()) yield return $"passed at the first try: {name}";
        foreach (TestResult one in all.Where(static one => one.Outcome == TestOutcome.Failed))
        {
            yield return $"FAILED: {one.Name}";
        }
    }

    /// <summary>
    /// How each test ended. Another failure of a second try counts too: of a fixture, or the program.
    /// </summary>
    public TestResult[] All() =>
    [
        .. _settled.Select(static one => one.First),
        .. _unsettled.Select(EndOf),
        .. _second.Where(second => second.Result.Outcome == TestOutcome.Failed
            && !HadPassed(second) && !_unsettled.Exists(first => IsSame(first, second)))
            .Select(static one => one.Result),
    ];

    private int Count(TestOutcome outcome) => All().Count(one => one.Outcome == outcome);

    private IEnumerable<string> MendedNames() => _unsettled
        .Where(one => one.First.Outcome == TestOutcome.Failed && IsPass(EndOf(one)))
        .Select(static one => one.First.Name);

    // Other rows of a method are tried again with the one that failed.
    private IEnumerable<string> LaterNames() => _second
        .Where(second => second.Result.Outcome == TestOutcome.Failed && HadPassed(second))
        .Select(static second => second.Result.Name);

    private bool HadPassed((string Program, TestResult Result) second) =>
        _settled.Exists(first => IsSame(first, second) && IsPass(first.First));

    // A failure is settled by a pass alone: a second try that is skipped or has no such test shows nothing.
    private TestResult EndOf((string Program, TestResult First) one)
    {
        TestResult[] second = [.. _second.Where(other => IsSame(one, other)).Select(static other => other.Result)];
        return Array.Find(second, static other => other.Outcome == TestOutcome.Failed)
            ?? Array.Find(second, IsPass)
            ?? one.First;
    }

    private static bool IsPass(TestResult one) => one.Outcome is TestOutcome.Passed or TestOutcome.NotNative;

    private static bool IsSame((string Program, TestResult Result) one, (string Program, TestResult Result) other) =>
        one.Program == other.Program && one.Result.Name == other.Result.Name;
}
