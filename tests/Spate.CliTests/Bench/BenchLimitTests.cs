using System.Diagnostics;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Spate.CliTests.Bench;

/// <summary>Benches with options at and beyond their limits, and benches that are interrupted.</summary>
public sealed partial class BenchLimitTests
{
    private const int KilledByTerm = 128 + 15;

    private static readonly string[] LongBench =
        ["bench", "--seconds", "31536000", "--size", "64", "--rows", "socket-blocking"];

    // Each option of a bench with its least and its greatest number.
    private static readonly Dictionary<string, string[]> LimitsOf = new(StringComparer.Ordinal)
    {
        [""] = ["--size 8 65507", "--seconds 5 31536000"],
        ["drain"] = ["--size 8 65507", "--seconds 5 31536000"],
        ["sessions"] = ["--peers 1 4m", "--size 8 65507", "--seconds 5 31536000"],
        ["sockets"] = ["--count 1 1k", "--queued 1 64", "--size 8 65507", "--seconds 5 31536000"],
        ["pingpong"] = ["--count 1 10m", "--size 8 65507", "--seconds 5 31536000"],
        ["relay"] = ["--rate 1k 10m", "--size 8 65507", "--seconds 2 31536000"],
        ["designs"] =
        [
            "--work 0 10m", "--count 5 1000m", "--threads 1 256", "--flows 1 1024", "--size 8 65507",
            "--seconds 5 31536000",
        ],
    };

    /// <summary>Every bench, at its lower limits and at its upper ones.</summary>
    public static MatrixTheoryData<string, bool> BenchesAtTheirLimits => new(LimitsOf.Keys, [false, true]);

    [Theory]
    [InlineData("relay", "--rate", "999")]
    [InlineData("relay", "--rate", "10000001")]
    [InlineData("pingpong", "--count", "0")]
    [InlineData("pingpong", "--count", "10000001")]
    [InlineData("pingpong", "--seconds", "4.9")]
    [InlineData("drain", "--seconds", "4.9")]
    [InlineData("drain", "--seconds", "31536001")]
    [InlineData("sockets", "--count", "1000001")]
    [InlineData("sockets", "--queued", "65")]
    [InlineData("designs", "--work", "10000001")]
    [InlineData("designs", "--threads", "257")]
    [InlineData("designs", "--flows", "1025")]
    [InlineData("designs", "--count", "1000000001")]
    [InlineData("designs", "--size", "65508")]
    [InlineData("designs", "--size", "7")]
    [InlineData("designs", "--threads", "0")]
    [InlineData("designs", "--count", "4")]
    [InlineData("designs", "--rows", "none")]
    [InlineData("relay", "--size", "4")]
    [InlineData("relay", "--gso", "none")]
    [InlineData("pingpong", "--size", "7")]
    [InlineData("sockets", "--count", "0")]
    public async Task WrongUse_JustOutsideALimit_NamesTheLimits(string bench, string option, string text)
    {
        ToolResult result = await Tool.RunAsync("bench", bench, option, text);

        Assert.Equal(2, result.ExitCode);
        string line = Assert.Single(result.ErrorLines);
        Assert.StartsWith($"spate: {option} '{text}' is wrong: expected ", line, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(BenchesAtTheirLimits))]
    public async Task Start_EveryNumberAtItsLimit_RunsOrSaysWhatIsMissing(string bench, bool isUpper)
    {
        TestWidth.SkipUnlessLongOr(
            !(isUpper && bench is ("designs" or "sessions")),
            "the most work on the most threads warms up for a minute, and the most sessions are filled for seconds");
        string[][] options = [.. LimitsOf[bench].Select(static limit => limit.Split(' '))];
        string[] command = bench.Length == 0 ? ["bench"] : ["bench", bench];

        ToolResult help = await Tool.RunAsync([.. command, "--help"]);
        Assert.Equal(
            options.Select(static option => option[0]).Order(StringComparer.Ordinal),
            NumericOption().Matches(help.Output).Select(static match => match.Value).Order(StringComparer.Ordinal));
        await RunUntilItMeasuresAsync(
            [.. command, .. options.SelectMany(option => (string[])[option[0], option[isUpper ? 2 : 1]])]);
    }

    [Fact]
    public async Task Stop_AfterARound_PrintsAndWritesTheRoundsThereAre()
    {
        string path = Path.Combine(Path.GetTempPath(), $"spate-bench-{Guid.NewGuid():N}.json");
        try
        {
            await using RunningTool tool = Tool.Start([.. LongBench, "--json", path]);
            await ReadUntilASecondRoundAsync(tool.ReadErrorLineAsync);

            tool.Stop();
            ToolResult result = await tool.FinishAsync();

            AssertInterrupted(result);
            using JsonDocument report = JsonDocument.Parse(
                await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken));
            Assert.InRange(report.RootElement.GetProperty("rounds").GetInt32(), 1, 20);
            Assert.True(report.RootElement.GetProperty("interrupted").GetBoolean());
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public async Task Signal_TwiceAtOnce_PrintsTheRoundsThereAre()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsMacOS(), "kill(1) is needed");

        // A machine that is too busy delivers the second signal after the time in which both count as one: then again.
        ToolResult result = await SignalTwiceAsync();
        for (int i = 0; i < 2 && result.ExitCode == KilledByTerm; i++) result = await SignalTwiceAsync();

        AssertInterrupted(result);
    }

    private static async Task<ToolResult> SignalTwiceAsync()
    {
        using Process process = ToolProcess.Start(LongBench);
        await ReadUntilASecondRoundAsync(process.StandardError.ReadLineAsync);

        // The signal comes twice, since timeout(1) sends it to the process and to its group.
        string twice = $"kill -TERM {process.Id}; kill -TERM {process.Id}";
        using Process kill = Process.Start("sh", ["-c", twice]);
        return await ToolProcess.FinishAsync(process);
    }

    private static void AssertInterrupted(ToolResult result)
    {
        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Contains("spate: interrupted: ", result.Error, StringComparison.Ordinal);
        Assert.Contains("\ninterrupted: figures of the completed rounds", result.Output, StringComparison.Ordinal);
        Assert.Contains("socket-blocking", result.Output, StringComparison.Ordinal);
    }

    private static async Task ReadUntilASecondRoundAsync(Func<Task<string?>> readLine)
    {
        string? line;
        do
        {
            line = await readLine();
            Assert.NotNull(line);
        }
        while (line.Contains("warm-up", StringComparison.Ordinal)
            || line.Contains("round 1 of", StringComparison.Ordinal));
    }

    private static async Task RunUntilItMeasuresAsync(string[] arguments)
    {
        await using RunningTool tool = Tool.Start(arguments);
        string? line = await tool.ReadErrorLineAsync();
        if (line?.StartsWith("bench ", StringComparison.Ordinal) == true)
        {
            tool.Stop();
            line = null;
        }

        ToolResult result = await tool.FinishAsync();
        string[] said =
        [
            .. result.ErrorLines.Prepend(line ?? "bench")
                .Where(static text => !text.StartsWith("bench", StringComparison.Ordinal)),
        ];
        string all = $"{string.Join(' ', arguments)}: {string.Join('\n', said)}";
        Assert.True(result.ExitCode is 0 or 3, all);
        Assert.All(said, text => Assert.StartsWith("spate: ", text, StringComparison.Ordinal));
        Assert.DoesNotContain("Exception", all, StringComparison.Ordinal);
        Assert.DoesNotContain("arameter", all, StringComparison.Ordinal);
        if (result.ExitCode == 3) Assert.Single(said);
    }

    // The names of rows and CPUs are lists too, but they have no limits to name.
    [GeneratedRegex(
        @"--(?!rows|cpu)[a-z]+(?= <(N|S|LIST|RATE|BYTES)>)",
        RegexOptions.ExplicitCapture,
        matchTimeoutMilliseconds: 5000)]
    private static partial Regex NumericOption();
}
