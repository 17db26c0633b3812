using System.Diagnostics;
using System.Globalization;
using Spate.Cli;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Comparison;
using Spate.Measurement.Reports;

namespace Spate.Tests.Cli.Comparison;

public sealed class RepeatedRunsTests
{
    // The last two arguments are "--json" and the file.
    private const string FindsFile = "while [ $# -gt 1 ]; do shift; done; ";

    private const string WritesReport = FindsFile + """
        echo '{"schema":"spate/1","kind":"drain","rows":[{"name":"r","sizeBytes":64,"receiveNanosecondsPerDatagram":9,
        "sendNanosecondsPerDatagram":9}]}' > "$1"
        """;

    private const string WritesOtherReport = FindsFile + """
        echo '{"schema":"spate/1","kind":"drain","rows":[{"name":"other","sizeBytes":64,
        "receiveNanosecondsPerDatagram":9,"sendNanosecondsPerDatagram":9}]}' > "$1"
        """;

    [Fact]
    public void Execute_TwoCommands_RunsEachInEveryPairInAnOrderOfTheSeed()
    {
        bool[] first = OrderOf(seed: 1);
        bool[] again = OrderOf(seed: 1);

        Assert.Equal(first, again);
        Assert.All(first.Chunk(2), static pair => Assert.NotEqual(pair[0], pair[1]));
        Assert.Contains(Enumerable.Range(2, 20), seed => !OrderOf(seed).SequenceEqual(first));
    }

    [Fact]
    public void Execute_TwoCommands_PutsTheReportsOfEachOnItsSide()
    {
        SkipWithoutShell();
        string another = WritesReport.Replace(":9", ":7", StringComparison.Ordinal);

        RepeatedResult reports = Execute(Shell(WritesReport), Shell(another), runs: 4, progress: null);

        Assert.Null(reports.Fault);
        Assert.Equal([9, 9, 9, 9], reports.A.Select(ReceiveOf));
        Assert.Equal([7, 7, 7, 7], reports.B.Select(ReceiveOf));
    }

    [Fact]
    public void Execute_CommandThatFails_SaysItsLastLine()
    {
        SkipWithoutShell();
        RepeatedResult reports = Execute(
            Shell(WritesReport), Shell("echo first >&2; printf 'spate: no \\033[31msuch' >&2; exit 3"), runs: 1);

        Assert.Empty(reports.A);
        Assert.Matches("^run [12] of 2 \\(side B\\) failed: ", reports.Fault);
        Assert.EndsWith(
            "wrote no report to compare: spate: no \\u001b[31msuch", reports.Fault, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("exit 0", "'/bin/sh -c exit 0")]
    [InlineData("exit 0", "to compare: it wrote none")]
    [InlineData("while [ $# -gt 1 ]; do shift; done; echo '{}' > \"$1\"", "to compare: the schema is missing")]
    public void Execute_CommandWithoutReport_SaysWhatIsWrong(string script, string expected)
    {
        SkipWithoutShell();
        RepeatedResult reports = Execute(Shell(script), Shell(script), runs: 1);

        Assert.Contains(expected, reports.Fault, StringComparison.Ordinal);
    }

    [Fact]
    public void Execute_NoSuchProgram_SaysSo()
    {
        var command = new RepeatedCommand("/there/is/no/program", []);

        RepeatedResult reports = Execute(command, command, runs: 1);

        Assert.Contains("/there/is/no/program could not be started", reports.Fault, StringComparison.Ordinal);
    }

    [Fact]
    public void Execute_RunThatFailsInTheMiddle_KeepsTheCompletePairsAndSaysWhich()
    {
        SkipWithoutShell();
        string count = Path.GetTempFileName();
        try
        {
            string failsThirdTime =
                $"echo >> {count}; [ $(wc -l < {count}) -lt 3 ] || {{ echo gone >&2; exit 1; }}; {WritesReport}";

            RepeatedResult reports = Execute(Shell(WritesReport), Shell(failsThirdTime), runs: 5);

            Assert.Equal((2, 2), (reports.A.Count, reports.B.Count));
            Assert.Matches("^run [56] of 10 \\(side B\\) failed: .* wrote no report to compare: gone$", reports.Fault);
        }
        finally
        {
            File.Delete(count);
        }
    }

    [Fact]
    public void Execute_ReportsThatCannotBeCompared_EndsAfterTheFirstPair()
    {
        SkipWithoutShell();
        var order = new List<bool>();

        RepeatedResult reports = Execute(
            Shell(WritesReport), Shell(WritesOtherReport), runs: 5, new Callback(step => order.Add(step.IsA)));

        Assert.Equal(2, order.Count);
        Assert.Empty(reports.A);
        Assert.StartsWith(
            "pair 1 of 5 cannot be compared: the reports have no row in common", reports.Fault,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false, 1)]
    [InlineData(true, 3)]
    public void Execute_LaterPairOfAnotherMachine_IsLeftOutUnlessAllowed(bool allowsDifferent, int complete)
    {
        SkipWithoutShell();
        string count = Path.GetTempFileName();
        try
        {
            string another = WritesReport.Replace("\"kind\"", "\"cpuModel\":\"x\",\"kind\"", StringComparison.Ordinal);
            string script =
                $"echo >> {count}; if [ $(wc -l < {count}) -le 2 ]; then {WritesReport}; else {another}; fi";

            RepeatedResult reports = RepeatedRuns.Execute(
                Shell(script), Shell(script), 3, 1, allowsDifferent, ReportKinds.Reader, progress: null,
                TestContext.Current.CancellationToken);

            Assert.Equal((complete, complete), (reports.A.Count, reports.B.Count));
            Assert.Equal(allowsDifferent, reports.Fault is null);
        }
        finally
        {
            File.Delete(count);
        }
    }

    [Fact]
    public void Execute_Interrupted_ReturnsTheCompletePairs()
    {
        SkipWithoutShell();
        using var stop = new CancellationTokenSource();
        var progress = new Callback(step =>
        {
            if (step.Index == 5) stop.Cancel();
        });

        RepeatedResult reports = RepeatedRuns.Execute(
            Shell(WritesReport), Shell(WritesReport), 10, 1, allowsDifferent: false, ReportKinds.Reader, progress,
            stop.Token);

        Assert.Equal((2, 2), (reports.A.Count, reports.B.Count));
        Assert.Null(reports.Fault);
    }

    [Fact]
    public async Task Execute_InterruptedWithinARun_EndsTheProcessAndKeepsThePairsBefore()
    {
        SkipWithoutShell();
        DirectoryInfo folder = Directory.CreateTempSubdirectory();
        try
        {
            string file = Path.Combine(folder.FullName, "id");
            string staysThirdTime =
                $"echo >> {file}.n; [ $(wc -l < {file}.n) -lt 3 ] || {{ echo $$ > {file}; exec sleep 60; }}; "
                + WritesReport;
            CancellationToken ended = TestContext.Current.CancellationToken;
            using var stop = CancellationTokenSource.CreateLinkedTokenSource(ended);
            Task<RepeatedResult> runs = Task.Run(
                () => RepeatedRuns.Execute(
                    Shell(staysThirdTime), Shell(WritesReport), 5, 1, allowsDifferent: false, ReportKinds.Reader,
                    progress: null,
                    stop.Token),
                ended);
            string id = "";
            while (!id.EndsWith('\n'))
            {
                Assert.False(runs.IsCompleted);
                await Task.Yield();
                if (File.Exists(file)) id = await File.ReadAllTextAsync(file, ended);
            }

            await stop.CancelAsync();
            RepeatedResult reports = await runs;

            Assert.Equal((2, 2), (reports.A.Count, reports.B.Count));
            Assert.Null(reports.Fault);
            Assert.Throws<ArgumentException>(
                () => Process.GetProcessById(int.Parse(id, CultureInfo.InvariantCulture)));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static bool[] OrderOf(int seed)
    {
        SkipWithoutShell();
        var order = new List<bool>();
        RepeatedResult reports = Execute(
            Shell(WritesReport), Shell(WritesReport), runs: 4, new Callback(step => order.Add(step.IsA)), seed);
        Assert.Equal((4, 4), (reports.A.Count, reports.B.Count));
        return [.. order];
    }

    private static RepeatedResult Execute(
        RepeatedCommand a, RepeatedCommand b, int runs, IProgress<RepeatedStep>? progress = null, int seed = 1) =>
        RepeatedRuns.Execute(
            a, b, runs, seed, allowsDifferent: false, ReportKinds.Reader, progress,
            TestContext.Current.CancellationToken);

    private static double ReceiveOf(Report report) => ((DrainReport)report).Rows[0].ReceiveNanosecondsPerDatagram;

    private static void SkipWithoutShell() => Assert.SkipUnless(File.Exists("/bin/sh"), "a shell is needed");

    private static RepeatedCommand Shell(string script) => new("/bin/sh", ["-c", script, "sh"]);

    private sealed class Callback(Action<RepeatedStep> report) : IProgress<RepeatedStep>
    {
        public void Report(RepeatedStep value) => report(value);
    }
}
