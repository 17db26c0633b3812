using System.Text.Json;

namespace Spate.CliTests.Bench;

public sealed class BenchCommandTests
{
    [Fact]
    public async Task Relay_ShortRunAsText_ShowsBothTables()
    {
        ToolResult result = await Tool.RunAsync("bench", "relay", "--seconds", "12", "--rate", "20k");

        Assert.Equal(0, result.ExitCode);
        Assert.Contains("generator sends trains", result.Output, StringComparison.Ordinal);
        Assert.Contains("generator sends one by one", result.Output, StringComparison.Ordinal);
        Assert.Contains("times less than socket-async", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Relay_TrainsOnlyAsJson_HasTheRelaysFields()
    {
        ToolResult result = await Tool.RunAsync(
            "bench", "relay", "--seconds", "12", "--rate", "20k", "--trains", "on", "--json", "-");

        Assert.Equal(0, result.ExitCode);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        Assert.Equal("relay", report.RootElement.GetProperty("kind").GetString());
        foreach (JsonElement row in report.RootElement.GetProperty("rows").EnumerateArray())
        {
            Assert.True(row.GetProperty("trains").GetBoolean());
            Assert.Equal(0, row.GetProperty("lostPercent").GetDouble());
            Assert.Equal(0, row.GetProperty("reordered").GetInt64());
            Assert.True(row.GetProperty("datagramsPerSecond").GetDouble() > 0);
        }
    }
}
