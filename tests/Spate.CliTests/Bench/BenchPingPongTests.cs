using System.Text.Json;
using Spate.Tests;

namespace Spate.CliTests.Bench;

/// <summary>
/// <c>spate bench pingpong</c>, alone: two threads that spin take their turns in milliseconds where other tests want
/// the same CPUs, and a row for which no time is left is skipped.
/// </summary>
[QuietHost("its threads spin, and a row without time is left out")]
public sealed class BenchPingPongTests
{
    [Fact]
    public async Task PingPong_MostPings_GivesFigures()
    {
        ToolResult result = await PatientBench.RunAsync(
            "No row could run", "5", "bench", "pingpong", "--count", "10m", "--json", "-");

        Assert.True(result.ExitCode == 0, result.Error);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        Assert.NotEmpty(report.RootElement.GetProperty("rows").EnumerateArray());
    }

    [Fact]
    public async Task PingPong_FewPingsAsJson_HasEveryModeAndDesign()
    {
        ToolResult result = await PatientBench.RunAsync(
            "no time was left for it", "5", "bench", "pingpong", "--count", "20", "--json", "-");

        Assert.Equal(0, result.ExitCode);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        Assert.Equal("pingpong", report.RootElement.GetProperty("kind").GetString());
        JsonElement[] rows = [.. report.RootElement.GetProperty("rows").EnumerateArray()];
        Assert.Equal(
            ["blocking", "adaptive", "spinning", "socket-blocking", "socket-async"],
            rows.Select(static row => row.GetProperty("mode").GetString()!),
            StringComparer.Ordinal);
        Assert.All(rows, static row => Assert.True(row.GetProperty("p50Microseconds").GetDouble() > 0));
        Assert.Equal(
            ["sharded", "one-by-one", "drain", "ring", "adaptive", "reader-workers"],
            report.RootElement.GetProperty("idle").EnumerateArray()
                .Select(static row => row.GetProperty("design").GetString()!),
            StringComparer.Ordinal);
    }
}
