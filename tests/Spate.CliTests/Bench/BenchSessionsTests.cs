using System.Text.Json;

namespace Spate.CliTests.Bench;

public sealed class BenchSessionsTests
{
    [Fact]
    public async Task Help_BenchSessions_StatesTheMethodAndShowsExamples()
    {
        ToolResult result = await Tool.RunAsync("bench", "sessions", "--help");

        Assert.Equal(0, result.ExitCode);
        Assert.Empty(result.Error);
        Assert.All(
            ["Usage:", "--peers", "--size", "--json", "prepared", "Examples:"],
            text => Assert.Contains(text, result.Output, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("--peers", "0")]
    [InlineData("--peers", "x")]
    [InlineData("--peers", "")]
    [InlineData("--peers", "1k,")]
    [InlineData("--peers", "5m")]
    [InlineData("--peers", "99999999999999999999m")]
    [InlineData("--peers", "1k,1000")]
    [InlineData("--peers", "1,2,3,4,5,6,7,8,9")]
    [InlineData("--size", "4")]
    public async Task WrongUse_OfAnOption_IsOneClearLineAndExitCodeTwo(string option, string text)
    {
        ToolResult result = await Tool.RunAsync("bench", "sessions", option, text);

        Assert.Equal(2, result.ExitCode);
        string line = Assert.Single(result.ErrorLines);
        Assert.StartsWith($"spate: {option} '{text}' is wrong: expected ", line, StringComparison.Ordinal);
        Assert.Empty(result.Output);
    }

    [Fact]
    public async Task Quick_TextAndJson_HoldARowForEachNumberAndPattern()
    {
        string path = Path.GetTempFileName();
        try
        {
            ToolResult result = await Tool.RunAsync(
                "bench", "sessions", "--quick", "--peers", "2k", "--size", "64", "--json", path);

            Assert.True(result.ExitCode == 0, result.Error);
            Assert.All(
                ["times one session", "scattered", "ageing 2,000 sessions"],
                text => Assert.Contains(text, result.Output, StringComparison.Ordinal));
            Assert.DoesNotContain('\u001b', result.Output);
            AssertReport(await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken));
        }
        finally
        {
            File.Delete(path);
        }
    }

    private static void AssertReport(string json)
    {
        using JsonDocument document = JsonDocument.Parse(json);
        JsonElement root = document.RootElement;
        Assert.Equal("sessions", root.GetProperty("kind").GetString());
        Assert.Equal(
            "1 runs, 2000 runs, 2000 scattered",
            string.Join(", ", root.GetProperty("rows").EnumerateArray().Select(
                row => $"{row.GetProperty("peers").GetInt32()} {row.GetProperty("pattern").GetString()}")));
        Assert.All(root.GetProperty("rows").EnumerateArray(), row =>
        {
            Assert.True(row.GetProperty("nanosecondsPerDatagram").GetDouble() > 0);
            Assert.True(row.GetProperty("timesOneSession").GetDouble() > 0);
            Assert.True(row.GetProperty("spreadPercent").GetDouble() >= 0);
            Assert.Equal(64, row.GetProperty("sizeBytes").GetInt32());
        });
        Assert.Equal(2000, root.GetProperty("agingPeers").GetInt32());
        Assert.True(root.GetProperty("agingPassMicroseconds").GetDouble() > 0);
        Assert.True(root.GetProperty("tableBytes").GetInt64() > 2000 * 40);
    }
}
