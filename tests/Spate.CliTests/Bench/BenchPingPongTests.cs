using System.Text.Json;

namespace Spate.CliTests.Bench;

/// <summary><c>spate bench pingpong</c> with few pings; the bench itself has tests in Spate.Tests.</summary>
public sealed class BenchPingPongTests
{
    [Fact]
    public async Task PingPong_FewPingsAsJson_HasEveryModeAndDesign()
    {
        ToolResult result = await Tool.RunAsync(
            "bench", "pingpong", "--count", "20", "--seconds", "5", "--json", "-");

        Assert.True(result.ExitCode == 0, result.Error);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        Assert.Equal("pingpong", report.RootElement.GetProperty("kind").GetString());
        JsonElement[] rows = [.. report.RootElement.GetProperty("rows").EnumerateArray()];

        // Two threads that spin take their turns in milliseconds where other tests want the same CPUs.
        string[] all = ["blocking", "adaptive", "spinning", "socket-blocking", "socket-async"];
        Assert.NotEmpty(rows);
        Assert.Equal(
            PatientBench.WithoutLateRows(result, all),
            rows.Select(static row => row.GetProperty("mode").GetString()!),
            StringComparer.Ordinal);
        Assert.All(rows, static row =>
        {
            double p50 = row.GetProperty("p50Microseconds").GetDouble();
            Assert.True(p50 > 0);
            Assert.InRange(row.GetProperty("p99Microseconds").GetDouble(), p50, double.MaxValue);
        });
        Assert.Equal(
            ["sharded", "one-by-one", "drain", "ring", "adaptive", "reader-workers"],
            report.RootElement.GetProperty("idle").EnumerateArray()
                .Select(static row => row.GetProperty("design").GetString()!),
            StringComparer.Ordinal);
    }
}
