using System.Diagnostics;
using System.Text.Json;

namespace Spate.CliTests;

/// <summary>What benches say and do at the ends of what they take, and when they are interrupted.</summary>
public sealed class BenchLimitTests
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
    [InlineData("INT")]
    [InlineData("TERM")]
    public async Task Signal_AfterARound_PrintsAndWritesTheRoundsThereAre(string signal)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsMacOS(), "kill(1) is needed");
        string path = Path.Combine(Path.GetTempPath(), $"spate-bench-{Guid.NewGuid():N}.json");
        try
        {
            using Process process = Process.Start(Tool.StartInfo(
                "bench", "drain", "--seconds", "600", "--size", "64,128,256,512,1024,1380,4096,8972", "--json", path))!;
            await ReadUntilASecondRoundAsync(process);
            using Process kill = Process.Start("kill", ["-" + signal, $"{process.Id}"]);

            ToolResult result = await Tool.FinishAsync(process);

            Assert.True(result.ExitCode == 0, result.Error);
            Assert.Contains("spate: interrupted: ", result.Error, StringComparison.Ordinal);
            Assert.Contains("64 bytes, nanoseconds per datagram", result.Output, StringComparison.Ordinal);
            using JsonDocument report = JsonDocument.Parse(
                await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken));
            Assert.InRange(report.RootElement.GetProperty("rounds").GetInt32(), 1, 20);
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
}
