using System.Text.Json;

namespace Spate.CliTests.Bench.Sweep;

/// <summary><c>--sweep cpu</c> on this machine, with short times.</summary>
public sealed class BenchSweepTests
{
    private const string NoAffinity = "two CPUs of Linux are needed";
    private const string TooShort = "do not fit in";

    private static bool HasTwoCpus => OperatingSystem.IsLinux() && Environment.ProcessorCount > 1;

    [Fact]
    public async Task Bench_SweepAsJson_HasEveryPlacementAndAConclusion()
    {
        TestWidth.SkipUnlessLong(
            "Drain_Sweep shows a sweep, and ThroughputSubjectTests what this one measures on each placement");
        Assert.SkipUnless(HasTwoCpus, NoAffinity);

        ToolResult result = await PatientBench.RunAsync(
            TooShort, "5", "bench", "--sweep", "cpu", "--size", "64", "--json", "-");

        Assert.True(result.ExitCode == 0, result.Error);
        AssertReport(result.Output, ("bench", 64, "datagramsPerSecond"), 4);
    }

    [Fact]
    public async Task Drain_Sweep_HasEveryPlacementAndEndsWithItsSentence()
    {
        Assert.SkipUnless(HasTwoCpus, NoAffinity);
        string path = Path.GetTempFileName();
        try
        {
            ToolResult result = await PatientBench.RunAsync(
                TooShort, "5", "bench", "drain", "--sweep", "cpu", "--fail-if", "rounds < 5", "--json", path);

            Assert.True(result.ExitCode == 0, result.Error);
            Assert.Contains("1380 bytes: receiveNanosecondsPerDatagram", result.Output, StringComparison.Ordinal);
            string last = result.Output.TrimEnd().Split('\n')[^1];
            Assert.Matches(
                @"^(--cpu [0-9]+ is [0-9.]+ % cheaper than|no placement is proven better than) the default", last);
            Assert.Contains("--cpu ", result.Error, StringComparison.Ordinal);
            AssertReport(
                await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken),
                ("drain", 1380, "receiveNanosecondsPerDatagram"),
                2);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Theory]
    [InlineData("--sweep 'mem' is wrong: expected cpu", "--sweep", "mem")]
    [InlineData("--cpu has no effect with --sweep cpu", "--sweep", "cpu", "--cpu", "0,1")]
    [InlineData("--peers has no effect with --sweep cpu", "--sweep", "cpu", "--peers")]
    [InlineData("expected one size with --sweep", "--sweep", "cpu", "--size", "64,1380")]
    [InlineData("expected one row with --sweep", "--sweep", "cpu", "--rows", "spate-mmsg,spate-portable")]
    [InlineData("--fail-if 'lostPercent > 1' is wrong", "--sweep", "cpu", "--fail-if", "lostPercent > 1")]
    [InlineData("--cpu has no effect with --sweep cpu", "drain", "--sweep", "cpu", "--cpu", "auto")]
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

    private static void AssertReport(
        string json, (string Bench, int SizeBytes, string Figure) expected, int minRows)
    {
        using JsonDocument report = JsonDocument.Parse(json);
        JsonElement root = report.RootElement;
        Assert.Equal("sweep", root.GetProperty("kind").GetString());
        Assert.Equal(
            expected,
            (root.GetProperty("bench").GetString(),
                root.GetProperty("sizeBytes").GetInt32(),
                root.GetProperty("figure").GetString()));
        JsonElement[] rows = [.. root.GetProperty("rows").EnumerateArray()];
        Assert.InRange(rows.Length, minRows, 8);
        Assert.Equal(root.GetProperty("default").GetString(), rows[0].GetProperty("cpu").GetString());
        Assert.All(rows, static row => Assert.True(row.GetProperty("samples").GetArrayLength() >= 5));
        Assert.All(rows, static row => Assert.True(row.GetProperty("median").GetDouble() > 0));
        bool isNamed = root.GetProperty("best").ValueKind == JsonValueKind.String;
        Assert.StartsWith(
            isNamed ? $"--cpu {root.GetProperty("best").GetString()} is " : "no placement is proven better than ",
            root.GetProperty("conclusion").GetString(),
            StringComparison.Ordinal);
    }
}
