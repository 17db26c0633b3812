using Spate.Build;
using Spate.Build.Tests;
using TestResult = Spate.Build.Tests.TestResult;

namespace Spate.RepoTests;

/// <summary>How test.sh sums up the reports of test programs.</summary>
public sealed class TestRunnerTests : IDisposable
{
    private readonly string _report = Path.GetTempFileName();

    public void Dispose() => File.Delete(_report);

    [Fact]
    public void ReadReport_EveryOutcome_IsKept()
    {
        List<TestResult> results = Read(
            """<test name="A.B(x: 1)" type="A" method="B" time="0.5" result="Pass"><output>SPATE_SEED=-5</output>"""
            + "</test>"
            + """<test name="A.C" type="A" method="C" result="Fail"><failure><message>m</message>"""
            + "<stack-trace>s</stack-trace></failure></test>"
            + """<test name="A.D" type="A" method="D" result="Skip"><reason>no root</reason></test>"""
            + """<test name="A.E" type="A" method="E" result="Skip"><reason>not judged: no CPU</reason></test>""");

        Assert.Equal(
            [TestOutcome.Passed, TestOutcome.Failed, TestOutcome.Skipped, TestOutcome.NotJudged],
            results.Select(static one => one.Outcome));
        Assert.Equal(("A.B", "A.B(x: 1)", 0.5), (results[0].Method, results[0].Name, results[0].Seconds));
        Assert.Equal("m\ns", results[1].Message);
        Assert.Equal("-5", results[0].Seed);
    }

    [Fact]
    public void ReadReport_ErrorOutsideATest_IsAFailureWithoutAMethod()
    {
        List<TestResult> results = Read(
            """<errors><error type="assembly-cleanup" name="x"><failure><message>m</message></failure>"""
            + "</error></errors>");

        Assert.Equal((null, TestOutcome.Failed), (results.Single().Method, results.Single().Outcome));
    }

    [Fact]
    public void Words_WithCoverage_NameTheProgramByItsWholePath()
    {
        TestRun run = new("Spate.Tests", "tests/Spate.Tests.dll") { CoverageFile = "coverage.json" };

        Assert.Contains(
            run.Words("report.xml"),
            word => word.StartsWith(
                $"-p:TestCommand=dotnet '{Path.GetFullPath("tests/Spate.Tests.dll")}' ", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("Pass", 0, false, null)]
    [InlineData("Fail", 1, false, null)]
    [InlineData("Pass", 1, false, "it ended with exit code 1")]
    [InlineData("Fail", 134, false, "it ended with exit code 134")]
    [InlineData("Fail", 0, true, null)]
    [InlineData("Fail", 1, true, "it ended with exit code 1")]
    public void ReadResults_ExitCode_FailsUnlessTheTestsExplainIt(
        string result, int exitCode, bool isCovered, string? expected)
    {
        Write($"""<test name="A.B" type="A" method="B" result="{result}"/>""");
        TestRun run = new("Tests", "Tests.dll") { CoverageFile = isCovered ? "coverage.json" : null };

        List<TestResult> results = run.ReadResults(_report, exitCode, ["last line"]);

        Assert.Equal("A.B", results[0].Method);
        Assert.Equal(
            expected is null ? [] : [(null, "Tests", TestOutcome.Failed, $"{expected}\nlast line")],
            results.Skip(1).Select(static one => (one.Method, one.Name, one.Outcome, one.Message)));
    }

    [Fact]
    public async Task ExecuteAsync_ReportOfAnEarlierRun_IsNotTakenForItsOwn()
    {
        string folder = Directory.CreateTempSubdirectory().FullName;
        string report = Path.Combine(folder, "Tests.xml");
        Write("""<test name="A.B" type="A" method="B" result="Pass"/>""", report);

        TestRunEnd end = await new TestRun("Tests", Path.Combine(folder, "none.dll"))
            .ExecuteAsync(folder, maxSeconds: 60, TestContext.Current.CancellationToken);
        Directory.Delete(folder, recursive: true);

        Assert.Equal((null, TestOutcome.Failed), (end.Results.Single().Method, end.Results.Single().Outcome));
    }

    [Fact]
    public void LongRunning_Lines_HaveTheLastOfEachTest() => Assert.Equal(
        ["[Long Running Test] 'B', Elapsed: 00:01:00", "[Long Running Test] 'A', Elapsed: 00:02:00"],
        TestRun.LongRunning(
        [
            "  [D::T] [Long Running Test] 'A', Elapsed: 00:01:00", "other",
            "         [Long Running Test] 'A', Elapsed: 00:02:00",
            "   [Long Running Test] 'B', Elapsed: 00:01:00",
        ]));

    [Fact]
    public void FailedAssertions_Lines_AreFailuresThatNoSecondTrySettles()
    {
        var run = new TestRun("Tests", "Tests.dll");
        string[] lines = ["Debug.Assert failed: a (in B.C)", "  Debug.Assert failed: a (in B.C)", "other"];

        TestResult failure = Assert.Single(run.FailedAssertions(lines));

        Assert.Equal(("Debug.Assert failed: a (in B.C)", TestOutcome.Failed), (failure.Message, failure.Outcome));
        Assert.Empty(new TestTotals([End(failure)]).Unsettled);
    }

    [Theory]
    [InlineData("")]
    [InlineData("<assemblies><assembly>")]
    [InlineData("<assemblies><test name='A.B' method='B' result='Pass'/></assemblies>")]
    [InlineData("<assemblies><test name='A.B' type='A' method='B' result='Pass' time='x'/></assemblies>")]
    public void ReadReport_CutOffOrAnotherFile_IsRefused(string text)
    {
        File.WriteAllText(_report, text);

        Assert.Throws<BuildException>(() => TestResult.ReadReport(_report));
    }

    [Fact]
    public void Totals_SecondTry_TakesThePlaceOfTheFirst()
    {
        var totals = new TestTotals([End(
            Result("A.Passes", TestOutcome.Passed), Result("A.Mends", TestOutcome.Failed),
            Result("A.Fails", TestOutcome.Failed), Result("A.Waits", TestOutcome.NotJudged),
            Result("A.Vanishes", TestOutcome.Failed), Skipped("no root"), Skipped("SPATE_LONG=1: long"),
            Skipped("SPATE_NATIVE_TOOL: none"), Skipped("SPATE_WINDOWS: none"))]);

        Assert.Equal((1, 3, 5), (totals.Passed, totals.Failed, totals.Skipped));
        Assert.Equal(
            ["A.Mends", "A.Fails", "A.Waits", "A.Vanishes"], totals.Unsettled.Select(static one => one.Method));

        totals.AddSecondTry(End(
            Result("A.Mends", TestOutcome.Passed), Result("A.Fails", TestOutcome.Failed),
            Result("A.Waits", TestOutcome.NotJudged)));

        Assert.Equal(1, totals.PassedOnce);

        Assert.Equal((2, 2, 5), (totals.Passed, totals.Failed, totals.Skipped));
        Assert.Equal(
            [
                "skipped: A.Skips: no root", "skipped: 1 tests that --long runs", "skipped: 1 tests that --native runs",
                "skipped: 1 tests that --windows runs", "not judged: A.Waits: no CPU",
                "passed at the second try: A.Mends", "FAILED: A.Fails", "FAILED: A.Vanishes",
            ],
            totals.Lines());
    }

    [Theory]
    [InlineData("A.First", TestOutcome.Skipped, 1)]
    [InlineData("A.First", TestOutcome.NotJudged, 1)]
    [InlineData("A.First", TestOutcome.Passed, 0)]
    [InlineData("A.Other", TestOutcome.Failed, 2)]
    public void Totals_SecondTry_SettlesAFailureByAPassAlone(string name, object outcome, int failed)
    {
        var totals = new TestTotals([End(Result("A.First", TestOutcome.Failed))]);

        totals.AddSecondTry(End(Result(name, (TestOutcome)outcome)));

        Assert.Equal(failed, totals.Failed);
    }

    [Fact]
    public void Totals_RowThatHadPassed_FailsAtTheSecondTryOnly()
    {
        var totals = new TestTotals([End(
            Result("A.Row1", TestOutcome.Failed), Result("A.Row2", TestOutcome.Passed))]);

        totals.AddSecondTry(End(Result("A.Row1", TestOutcome.Passed), Result("A.Row2", TestOutcome.Failed)));

        Assert.Equal((2, 0, 2), (totals.Passed, totals.Failed, totals.PassedOnce));
        Assert.Equal(["passed at the second try: A.Row1", "passed at the first try: A.Row2"], totals.Lines());
    }

    [Fact]
    public void Totals_SecondTryThatCrashes_Fails()
    {
        var totals = new TestTotals([End(Result("A.Waits", TestOutcome.NotJudged))]);

        totals.AddSecondTry(End(new TestResult(null, "crash", TestOutcome.Failed, "", 0)));

        Assert.Equal((1, 1), (totals.Failed, totals.Skipped));
    }

    [Theory]
    [InlineData("Spate.RepoTests.ATests.First")]
    [InlineData("Spate.RepoTests.Packages.ATests.First")]
    [InlineData("Spate.HostTests.Abi.ATests.First")]
    public void Totals_FailureOfTheRepositoryTests_IsNotTriedAgain(string method)
    {
        var totals = new TestTotals([End(Result(method, TestOutcome.Failed))]);

        Assert.Equal((0, 1), (totals.Unsettled.Count, totals.Failed));
    }

    [Fact]
    public void SecondTries_TestsWithSeeds_RunWithTheirs()
    {
        TestRun[] runs =
        [
            .. TestPlan.SecondTries(
                [("T.dll", "A.B", "7"), ("T.dll", "A.C", "7"), ("T.dll", "A.D", null)]),
        ];

        Assert.Equal(["7", null], runs.Select(static run => run.Seed));
        Assert.Equal(["-parallel", "none", "-method", "A.B", "-method", "A.C"], runs[0].Arguments);
    }

    [Fact]
    public void Plain_PartOfAProgram_IsARunOfItsOwn()
    {
        var programs = new Dictionary<string, string> { ["Spate.Tests"] = "T.dll", ["Spate.NewTests"] = "N.dll" };

        TestRun[] runs = [.. TestPlan.Plain(programs)];

        Assert.Equal(["Spate.Tests", "Spate.Tests.Contracts", "Spate.NewTests"], runs.Select(static run => run.Title));
        Assert.Equal(["T.dll", "T.dll", "N.dll"], runs.Select(static run => run.Program));
        Assert.Equal(["-namespace-", "Spate.Tests.Contracts*"], runs[0].Arguments[^2..]);
        Assert.Equal(["-namespace", "Spate.Tests.Contracts*"], runs[1].Arguments[^2..]);
        Assert.DoesNotContain(runs[2].Arguments, static one => one.StartsWith("-namespace", StringComparison.Ordinal));
    }

    [Fact]
    public void Native_OfThePrograms_RunsTheTestsOfCommandsInTheirGroups()
    {
        var programs = new Dictionary<string, string>
        {
            ["Spate.Tests"] = "T.dll",
            ["Spate.CliTests"] = "C.dll",
            ["Spate.HostTests"] = "H.dll",
        };

        (List<TestRun> parallel, List<TestRun> alone) = TestPlan.Native(programs, Repository.Top);

        Assert.DoesNotContain(parallel.Concat(alone), static run => run.Program is "T.dll");
        TestRun host = Assert.Single(parallel, static run => run.Title is "Spate.HostTests.Cli");
        Assert.Equal(["-namespace", "Spate.HostTests.Cli*"], host.Arguments[^2..]);
        TestRun quiet = Assert.Single(alone, static run => run.Title is "Spate.HostTests.Cli: QuietHost");
        Assert.Equal(["-trait", "group=QuietHost", "-namespace", "Spate.HostTests.Cli*"], quiet.Arguments[^4..]);
    }

    [Fact]
    public void Asserting_OfAProgram_RunsEachOfItsParts()
    {
        var programs = new Dictionary<string, string> { ["Spate.Tests"] = "T.dll" };

        (List<TestRun> parallel, List<TestRun> alone) = TestPlan.Asserting(programs, Repository.Top);

        Assert.Equal(
            [
                "with assertions: Spate.Tests", "with assertions: Spate.Tests: ProcessWide",
                "with assertions: Spate.Tests.Contracts", "with assertions: Spate.Tests: QuietHost",
            ],
            parallel.Concat(alone).Select(static run => run.Title));
    }

    [Fact]
    public void OfNativeRun_TestThatStartedNoProcessOfTheTool_IsNotCounted()
    {
        TestResult[] results =
        [
            .. Read(
                """<test name="A.Ran" type="A" method="B" result="Pass"><output>SPATE_NATIVE_TOOL ran</output></test>"""
                + """<test name="A.Pure" type="A" method="C" result="Pass" />"""
                + """<test name="A.Fails" type="A" method="D" result="Fail" />"""
                + """<test name="A.Inside" type="A" method="E" result="Skip"><reason>the command is in the test's """
                + "process: a clock</reason></test>").Select(static one => one.OfNativeRun()),
        ];

        var totals = new TestTotals([End(results)]);

        Assert.Equal((1, 1, 1), (totals.Passed, totals.Failed, totals.Skipped));
        Assert.Equal("A.D", Assert.Single(totals.Unsettled).Method);
        Assert.Equal(
            "1 tests passed with the native tool; 1 are skipped since the command is in their process; "
            + "1 start no process of it and are not counted", totals.NativeLine);
    }

    [Fact]
    public void Totals_ErrorOutsideATest_FailsWhateverFollows()
    {
        var totals = new TestTotals([End(new TestResult(null, "crash", TestOutcome.Failed, "", 0))]);

        Assert.Empty(totals.Unsettled);
        Assert.Equal(1, totals.Failed);
    }

    private static TestRunEnd End(params TestResult[] results) =>
        new(new TestRun("Tests", "Tests.dll"), [.. results], TimeSpan.Zero);

    private static TestResult Result(string method, TestOutcome outcome) =>
        new(method, method, outcome, outcome == TestOutcome.NotJudged ? "not judged: no CPU" : "", 0);

    private static TestResult Skipped(string reason) => new("A.Skips", "A.Skips", TestOutcome.Skipped, reason, 0);

    private List<TestResult> Read(string tests)
    {
        Write(tests);
        return TestResult.ReadReport(_report);
    }

    private void Write(string tests, string? report = null) =>
        File.WriteAllText(report ?? _report, $"<assemblies><assembly>{tests}</assembly></assemblies>");
}
