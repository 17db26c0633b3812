using System.Diagnostics;
using System.Text.Json;
using System.Text.RegularExpressions;
using Spate.Cli;

namespace Spate.CliTests.Bench;

/// <summary>Benches with options at and beyond their limits, and benches that are interrupted.</summary>
public sealed partial class BenchLimitTests
{
    [Fact]
    public async Task Drain_SecondsOfAYear_Runs()
    {
        ToolResult result = await Tool.RunAsync("bench", "drain", "--seconds", "31536000", "--size", "64");

        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Contains("64 bytes, nanoseconds per datagram", result.Output, StringComparison.Ordinal);
    }

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
    public async Task WrongUse_JustOutsideALimit_NamesTheLimits(string bench, string option, string text)
    {
        ToolResult result = await Tool.RunAsync("bench", bench, option, text);

        Assert.Equal(2, result.ExitCode);
        string line = Assert.Single(result.ErrorLines);
        Assert.StartsWith($"spate: {option} '{text}' is wrong: expected ", line, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("relay", "--rate", "1k", "--seconds", "8", "--trains", "on")]
    [InlineData("pingpong", "--count", "10m", "--seconds", "5")]
    [InlineData("sockets", "--count", "1", "--queued", "1,64", "--size", "65507", "--quick")]
    [InlineData("designs", "--rows", "drain", "--work", "0", "--count", "5", "--threads", "1", "--seconds", "5")]
    [InlineData("designs", "--rows", "drain", "--work", "0", "--count", "1000m", "--threads", "1", "--seconds", "5")]
    [InlineData("designs", "--rows", "drain", "--work", "0", "--count", "5k", "--flows", "1024", "--quick")]
    public async Task Run_AtALimit_GivesFigures(string bench, params string[] options)
    {
        ToolResult result = await Tool.RunAsync(["bench", bench, .. options, "--json", "-"]);

        Assert.True(result.ExitCode == 0, result.Error);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        Assert.NotEmpty(report.RootElement.GetProperty("rows").EnumerateArray());
    }

    [Theory]
    [InlineData("", "--size 8 65507", "--seconds 5 31536000")]
    [InlineData("drain", "--size 8 65507", "--seconds 5 31536000")]
    [InlineData("sessions", "--peers 1 4m", "--size 8 65507", "--seconds 5 31536000")]
    [InlineData("sockets", "--count 1 1m", "--queued 1 64", "--size 8 65507", "--seconds 5 31536000")]
    [InlineData("pingpong", "--count 1 10m", "--size 8 65507", "--seconds 5 31536000")]
    [InlineData("relay", "--rate 1k 10m", "--size 8 65507", "--seconds 2 31536000")]
    [InlineData(
        "designs",
        "--work 0 10m",
        "--count 5 1000m",
        "--threads 1 256",
        "--flows 1 1024",
        "--size 8 65507",
        "--seconds 5 31536000")]
    public async Task Start_EveryNumberAtItsLimit_RunsOrSaysWhatIsMissing(string bench, params string[] limits)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsMacOS(), "kill(1) and ulimit are needed");
        string[][] options = [.. limits.Select(static limit => limit.Split(' '))];
        string[] command = bench.Length == 0 ? ["bench"] : ["bench", bench];

        ToolResult help = await Tool.RunAsync([.. command, "--help"]);
        Assert.Equal(
            options.Select(static option => option[0]).Order(StringComparer.Ordinal),
            NumericOption().Matches(help.Output).Select(static match => match.Value).Order(StringComparer.Ordinal));
        await RunUntilItMeasuresAsync([.. command, .. options.SelectMany(static option => option[..2])]);
        await RunUntilItMeasuresAsync(
            [.. command, .. options.SelectMany(static option => (string[])[option[0], option[2]])]);
    }

    [Theory]
    [InlineData("INT")]
    [InlineData("TERM")]
    public async Task Signal_AfterARound_PrintsAndWritesTheRoundsThereAre(string signal)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsMacOS(), "kill(1) is needed");
        string path = Path.Combine(Path.GetTempPath(), $"spate-bench-{Guid.NewGuid():N}.json");
        try
        {
            using Process process = Process.Start(ToolProcess.StartInfo(
                "bench", "drain", "--seconds", "100", "--size", "64,8972", "--json", path))!;
            await ReadUntilASecondRoundAsync(process);

            // The signal comes twice, since timeout(1) sends it to the process and to its group.
            string twice = $"kill -{signal} {process.Id}; kill -{signal} {process.Id}";
            using Process kill = Process.Start("sh", ["-c", twice]);

            ToolResult result = await ToolProcess.FinishAsync(process);

            Assert.True(result.ExitCode == 0, result.Error);
            Assert.Contains("spate: interrupted: ", result.Error, StringComparison.Ordinal);
            Assert.Contains("\ninterrupted: the figures are those", result.Output, StringComparison.Ordinal);
            Assert.Contains("64 bytes, nanoseconds per datagram", result.Output, StringComparison.Ordinal);
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

    private static async Task ReadUntilASecondRoundAsync(Process process)
    {
        string? line;
        do
        {
            line = await process.StandardError.ReadLineAsync(TestContext.Current.CancellationToken);
            Assert.NotNull(line);
        }
        while (line.Contains("warm-up", StringComparison.Ordinal)
            || line.Contains("round 1 of", StringComparison.Ordinal));
    }

    // With 1,024 open files allowed, a million sockets are refused on every machine.
    private static async Task RunUntilItMeasuresAsync(string[] arguments)
    {
        ProcessStartInfo start = ToolProcess.StartInfo(arguments);
        string[] words = ["-c", "ulimit -n 1024; exec \"$@\"", "sh", start.FileName, .. start.ArgumentList];
        start.FileName = "sh";
        start.ArgumentList.Clear();
        foreach (string word in words) start.ArgumentList.Add(word);

        using Process process = Process.Start(start)!;
        string? line = await process.StandardError.ReadLineAsync(TestContext.Current.CancellationToken);
        if (line?.StartsWith("bench ", StringComparison.Ordinal) == true)
        {
            using Process kill = Process.Start("kill", ["-INT", $"{process.Id}"]);
            line = null;
        }

        ToolResult result = await ToolProcess.FinishAsync(process);
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
