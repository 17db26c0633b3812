using System.Text.Json;

namespace Spate.CliTests.Bench;

/// <summary><c>--sweep cpu</c> on this machine, with short times.</summary>
public sealed class BenchSweepTests
{
    private const string NoAffinity = "two CPUs of Linux are needed";

    private static bool HasTwoCpus => OperatingSystem.IsLinux() && Environment.ProcessorCount > 1;

    [Fact]
    public async Task Bench_SweepAsJson_HasEveryPlacementAndAConclusion()
    {
        Assert.SkipUnless(HasTwoCpus, NoAffinity);

        ToolResult result = await Tool.RunAsync(
            "bench", "--sweep", "cpu", "--seconds", "8", "--size", "64", "--json", "-");

        Assert.True(result.ExitCode == 0, result.Error);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        JsonElement root = report.RootElement;
        Assert.Equal("sweep", root.GetProperty("kind").GetString());
        Assert.Equal("bench", root.GetProperty("bench").GetString());
        Assert.Equal(64, root.GetProperty("sizeBytes").GetInt32());
        Assert.Equal("datagramsPerSecond", root.GetProperty("figure").GetString());
        JsonElement[] rows = [.. root.GetProperty("rows").EnumerateArray()];
        Assert.InRange(rows.Length, 4, 8);
        Assert.Equal(root.GetProperty("default").GetString(), rows[0].GetProperty("cpu").GetString());
        Assert.All(rows, static row => Assert.True(row.GetProperty("samples").GetArrayLength() >= 5));
        Assert.All(rows, static row => Assert.True(row.GetProperty("median").GetDouble() > 0));
        bool isNamed = root.GetProperty("best").ValueKind == JsonValueKind.String;
        Assert.StartsWith(
            isNamed ? $"--cpu {root.GetProperty("best").GetString()} is " : "no placement is proven better than ",
            root.GetProperty("conclusion").GetString(),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Drain_SweepAsText_EndsWithItsSentence()
    {
        Assert.SkipUnless(HasTwoCpus, NoAffinity);

        ToolResult result = await Tool.RunAsync(
            "bench", "drain", "--sweep", "cpu", "--quick", "--fail-if", "rounds < 5");

        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Contains("1380 bytes: receiveNanosecondsPerDatagram", result.Output, StringComparison.Ordinal);
        string last = result.Output.TrimEnd().Split('\n')[^1];
        Assert.Matches(
            @"^(--cpu [0-9]+ is [0-9.]+ % cheaper than|no placement is proven better than) the default", last);
        Assert.Contains("--cpu ", result.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--sweep 'mem' is wrong: expected cpu", "--sweep", "mem")]
    [InlineData("--cpu does nothing with --sweep cpu", "--sweep", "cpu", "--cpu", "0,1")]
    [InlineData("--peers does nothing with --sweep cpu", "--sweep", "cpu", "--peers")]
    [InlineData("expected one size with --sweep", "--sweep", "cpu", "--size", "64,1380")]
    [InlineData("expected one row with --sweep", "--sweep", "cpu", "--rows", "spate-mmsg,spate-portable")]
    [InlineData("--fail-if 'lostPercent > 1' is wrong", "--sweep", "cpu", "--fail-if", "lostPercent > 1")]
    [InlineData("--cpu does nothing with --sweep cpu", "drain", "--sweep", "cpu", "--cpu", "auto")]
    [InlineData("--sweep", "sessions", "--sweep", "cpu")]
    public async Task WrongUse_OfASweep_SaysWhatIsExpected(string expected, params string[] arguments)
    {
        ToolResult result = await Tool.RunAsync(["bench", .. arguments]);

        Assert.Equal(2, result.ExitCode);
        Assert.Contains(expected, Assert.Single(result.ErrorLines), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Bench_SweepOfARowOnPoolThreads_IsRefused()
    {
        ToolResult result = await Tool.RunAsync("bench", "--sweep", "cpu", "--rows", "socket-async", "--seconds", "5");

        Assert.Equal(3, result.ExitCode);
        Assert.Contains("runs on pool threads", Assert.Single(result.ErrorLines), StringComparison.Ordinal);
    }
}
