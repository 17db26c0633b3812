using System.Text.Json;

namespace Spate.CliTests.Bench;

public sealed class BenchCommandTests
{
    [Fact]
    public async Task Relay_ShortRun_ShowsBothTablesAndWritesTheRelaysFields()
    {
        string path = Path.GetTempFileName();
        try
        {
            ToolResult result = await PatientBench.RunAsync(
                "no time was left", "8", "bench", "relay", "--rate", "20k", "--json", path);

            Assert.Equal(0, result.ExitCode);
            Assert.Contains("generator sends trains", result.Output, StringComparison.Ordinal);
            Assert.Contains("generator sends one by one", result.Output, StringComparison.Ordinal);
            Assert.Contains("times less than socket-async", result.Output, StringComparison.Ordinal);
            using JsonDocument report = JsonDocument.Parse(
                await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken));
            Assert.Equal("relay", report.RootElement.GetProperty("kind").GetString());
            JsonElement[] rows = [.. report.RootElement.GetProperty("rows").EnumerateArray()];
            Assert.Equal([true, false], rows.Select(static row => row.GetProperty("trains").GetBoolean()).Distinct());
            Assert.All(rows, static row =>
            {
                // RelayTests shows that all is relayed. Where others want the CPUs, the loopback drops some here.
                Assert.InRange(row.GetProperty("lostPercent").GetDouble(), 0, 99);
                Assert.Equal(0, row.GetProperty("reordered").GetInt64());
                Assert.True(row.GetProperty("datagramsPerSecond").GetDouble() > 0);
            });
        }
        finally
        {
            File.Delete(path);
        }
    }
}
