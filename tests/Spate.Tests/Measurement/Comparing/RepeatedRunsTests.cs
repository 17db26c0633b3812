using Spate.Measurement.Bench;
using Spate.Measurement.Comparing;
using Spate.Measurement.Reports;

namespace Spate.Tests.Measurement.Comparing;

public sealed class RepeatedRunsTests
{
    // The last two arguments are "--json" and the file.
    private const string WritesReport = """
        while [ $# -gt 1 ]; do shift; done; echo '{"schema":"spate/1","kind":"drain"}' > "$1"
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
    public void Execute_CommandThatFails_SaysItsLastLine()
    {
        SkipWithoutShell();
        var fault = Assert.Throws<BenchException>(() => RepeatedRuns.Execute(
            Shell(WritesReport), Shell("echo first >&2; printf 'spate: no \\033[31msuch' >&2; exit 3"), 1, 1,
            progress: null, TestContext.Current.CancellationToken));

        Assert.EndsWith(
            "gave no report to compare: spate: no \\u001b[31msuch", fault.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("exit 0", "to compare: it is empty")]
    [InlineData("while [ $# -gt 1 ]; do shift; done; echo '{}' > \"$1\"", "to compare: the schema is missing")]
    public void Execute_CommandWithoutReport_IsRefused(string script, string expected)
    {
        SkipWithoutShell();
        var fault = Assert.Throws<BenchException>(() => RepeatedRuns.Execute(
            Shell(script), Shell(script), 1, 1, progress: null, TestContext.Current.CancellationToken));

        Assert.Contains(expected, fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Execute_NoSuchProgram_IsRefused()
    {
        var command = new RepeatedCommand("/there/is/no/program", []);

        Assert.Throws<BenchException>(() => RepeatedRuns.Execute(
            command, command, 1, 1, progress: null, TestContext.Current.CancellationToken));
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

        (IReadOnlyList<Report> a, IReadOnlyList<Report> b) =
            RepeatedRuns.Execute(Shell(WritesReport), Shell(WritesReport), 10, 1, progress, stop.Token);

        Assert.Equal((2, 2), (a.Count, b.Count));
    }

    private static bool[] OrderOf(int seed)
    {
        SkipWithoutShell();
        var order = new List<bool>();
        (IReadOnlyList<Report> a, IReadOnlyList<Report> b) = RepeatedRuns.Execute(
            Shell(WritesReport), Shell(WritesReport), 4, seed, new Callback(step => order.Add(step.IsA)),
            TestContext.Current.CancellationToken);
        Assert.Equal((4, 4), (a.Count, b.Count));
        return [.. order];
    }

    private static void SkipWithoutShell() => Assert.SkipUnless(File.Exists("/bin/sh"), "a shell is needed");

    private static RepeatedCommand Shell(string script) => new("/bin/sh", ["-c", script, "sh"]);

    private sealed class Callback(Action<RepeatedStep> report) : IProgress<RepeatedStep>
    {
        public void Report(RepeatedStep value) => report(value);
    }
}
