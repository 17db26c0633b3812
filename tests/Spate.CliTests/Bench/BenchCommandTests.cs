using System.Globalization;
using System.Text.Json;
using Spate.Cli.Bench.Relay;
using Spate.Cli.Shell.Terminal;

namespace Spate.CliTests.Bench;

public sealed class BenchCommandTests
{
    [Fact]
    public void Relay_BothKindsOfGenerator_HaveATableEach()
    {
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        RelayReport.Write(
            new RelayReport
            {
                Rows = [Row("socket-async", usesGso: true), Row("spate", usesGso: true), Row("spate", usesGso: false)],
                RoundSeconds = 1,
                BurstDatagrams = 32,
                AskedDatagramsPerSecond = 5000,
            },
            new TerminalWriter(output));

        string[] lines = output.ToString().Split('\n');
        int gso = Array.IndexOf(lines, "generator sends GSO messages");
        int single = Array.IndexOf(lines, "generator sends single datagrams");
        Assert.True(gso > 0);
        Assert.Equal(gso + 5, single);
        Assert.StartsWith("socket-async", lines[gso + 2], StringComparison.Ordinal);
        Assert.StartsWith("spate", lines[gso + 3], StringComparison.Ordinal);
        Assert.StartsWith("spate", lines[single + 2], StringComparison.Ordinal);
        Assert.Contains("spate: sent only 4,000/s: the machine was busy", lines, StringComparer.Ordinal);

        static RelayRow Row(string name, bool usesGso) => new()
        {
            Name = name,
            UsesGso = usesGso,
            DatagramsPerSecond = 4000,
            SentPerSecond = 4000,
            LostPercent = 0,
            CpuPercentOfOneCore = 10,
        };
    }

    [Fact]
    public async Task Bench_ShortRun_ShowsTheTableAndWritesTheRows()
    {
        string path = Path.GetTempFileName();
        try
        {
            ToolResult result = await Tool.RunAsync(
                "bench", "--rows", "socket-blocking", "--size", "64", "--seconds", "5", "--json", path);

            Assert.True(result.ExitCode == 0, result.Error);
            Assert.Matches("(?m)^row .*datagrams/s", result.Output);
            Assert.Matches("(?m)^socket-blocking +[0-9]", result.Output);
            Assert.DoesNotContain("interrupted", result.Output, StringComparison.Ordinal);
            using JsonDocument report = JsonDocument.Parse(
                await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken));
            Assert.Equal("bench", report.RootElement.GetProperty("kind").GetString());
            JsonElement row = Assert.Single(report.RootElement.GetProperty("rows").EnumerateArray());
            Assert.Equal("socket-blocking", row.GetProperty("name").GetString());
            Assert.Equal(64, row.GetProperty("sizeBytes").GetInt32());
            Assert.Equal(
                report.RootElement.GetProperty("rounds").GetInt32(), row.GetProperty("samples").GetArrayLength());
            Assert.True(row.GetProperty("datagramsPerSecond").GetDouble() > 0);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public async Task Relay_ShortRun_ShowsTheTableAndWritesTheRelaysFields()
    {
        string path = Path.GetTempFileName();
        try
        {
            ToolResult result = await Tool.RunAsync(
                "bench", "relay", "--gso", "on", "--rate", "20k", "--seconds", "3", "--json", path);

            Assert.Equal(0, result.ExitCode);
            Assert.Contains("generator sends GSO messages", result.Output, StringComparison.Ordinal);
            Assert.Contains("times less than socket-async", result.Output, StringComparison.Ordinal);
            using JsonDocument report = JsonDocument.Parse(
                await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken));
            Assert.Equal("relay", report.RootElement.GetProperty("kind").GetString());
            JsonElement[] rows = [.. report.RootElement.GetProperty("rows").EnumerateArray()];

            // A machine that is busy leaves no time for some of the rows, never for all of them.
            Assert.NotEmpty(rows);
            Assert.All(rows, static row =>
            {
                Assert.True(row.GetProperty("trains").GetBoolean());

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
