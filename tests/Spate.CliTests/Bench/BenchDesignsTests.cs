using System.Text.Json;
using Spate.Cli.Shell;

namespace Spate.CliTests.Bench;

public sealed class BenchDesignsTests
{
    private static readonly string[] Designs = ["one-by-one", "ring", "adaptive"];

    [Fact]
    public async Task BenchDesigns_Quick_HasTheTableAnAnswerToEveryQuestionAndARowPerDesignAndWork()
    {
        string path = Path.GetTempFileName();
        try
        {
            ToolResult result = await Tool.RunAsync(
                "bench", "designs", "--quick", "--rows", string.Join(',', Designs), "--work", "0,7", "--threads", "2",
                "--count", "3k", "--size", "200", "--json", path);

            Assert.True(result.ExitCode == 0, result.Error);
            AssertReport(await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken));
            Assert.Contains("processed %", result.Output, StringComparison.Ordinal);
            Assert.Contains("2 threads, no work per datagram", result.Output, StringComparison.Ordinal);
            Assert.SkipUnless(OperatingSystem.IsLinux(), "CPU time of threads is known on Linux only");
            Assert.Contains("Least CPU", result.Output, StringComparison.Ordinal);
            Assert.Contains("ring costs", result.Output, StringComparison.Ordinal);
            Assert.Contains("adaptive costs", result.Output, StringComparison.Ordinal);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public async Task BenchDesigns_OnlyADesignThisSystemLacks_SaysWhy()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has it");

        ToolResult result = await Tool.RunAsync("bench", "designs", "--rows", "rio-hybrid", "--count", "3k");

        Assert.Equal(ExitCode.CouldNotRun, result.ExitCode);
        Assert.Equal(
            "spate: No row could run: The design rio-hybrid needs Registered I/O, which this system lacks: "
                + "Windows only",
            result.Error.TrimEnd().Split('\n')[^1]);
    }

    [Fact]
    public async Task BenchDesigns_WrongRowAndOptionsThatContradict_NamesTheRow()
    {
        ToolResult result = await Tool.RunAsync("bench", "designs", "--quick", "--seconds", "9", "--rows", "nobody");

        Assert.Equal(ExitCode.WrongUse, result.ExitCode);
        Assert.Contains("nobody", result.Error, StringComparison.Ordinal);
    }

    private static void AssertReport(string text)
    {
        using JsonDocument report = JsonDocument.Parse(text);
        JsonElement json = report.RootElement;
        Assert.Equal("designs", json.GetProperty("kind").GetString());
        Assert.Equal(1000, json.GetProperty("datagramsPerRound").GetInt64());
        Assert.Equal(200, json.GetProperty("sizeBytes").GetInt32());
        Assert.Equal(2, json.GetProperty("flows").GetInt32());
        string[] rows = [.. json.GetProperty("rows").EnumerateArray().Select(static row =>
            $"{row.GetProperty("design")} {row.GetProperty("workRounds")} {row.GetProperty("threadCount")}")];
        Assert.Equal(
            [.. Designs.Select(static name => name + " 0 2"), .. Designs.Select(static name => name + " 7 2")], rows);
        Assert.All(json.GetProperty("rows").EnumerateArray(), static row =>
            Assert.True(row.GetProperty("datagramsPerSecond").GetDouble() > 0));
    }
}
