using System.Diagnostics;
using System.Text.Json;

namespace Spate.CliTests.Bench;

public sealed class BenchSocketsTests
{
    [Fact]
    public async Task BenchSockets_AsJson_HasARowForEachWay()
    {
        ToolResult result = await PatientBench.RunAsync(
            "more time", "6", "bench", "sockets", "--count", "1,50", "--queued", "2", "--json", "-");

        Assert.Equal(0, result.ExitCode);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        Assert.Equal("sockets", report.RootElement.GetProperty("kind").GetString());
        JsonElement[] rows = [.. report.RootElement.GetProperty("rows").EnumerateArray()];
        string[] found =
        [
            .. rows.Select(row => $"{row.GetProperty("mode").GetString()} of {row.GetProperty("sockets").GetInt32()} "
                + $"sockets, {row.GetProperty("queued").GetInt32()} queued"),
        ];
        string[] modes = ["poller", "awaitable", "in-turn"];
        string[] all =
        [
            .. modes.Select(static mode => $"{mode} of 1 sockets, 2 queued"),
            .. modes.Select(static mode => $"{mode} of 50 sockets, 2 queued"),
        ];
        Assert.NotEmpty(found);
        Assert.Equal(PatientBench.WithoutLateRows(result, all), found, StringComparer.Ordinal);
        Assert.All(rows, row => Assert.True(row.GetProperty("receiveNanosecondsPerDatagram").GetDouble() > 0));
    }

    // With 400 open files allowed, a million sockets are refused on every machine.
    [Fact]
    public async Task BenchSockets_DescriptorLimit_OneLineSaysWhatToDo()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the limit is set with ulimit of a Linux shell");
        ProcessStartInfo start = ToolProcess.StartInfoOf(
            "/bin/sh", "-c",
            $"ulimit -n 400; exec {ToolProcess.ShellWords} bench sockets --count 1m --queued 64 --size 65507"
            + " --seconds 31536000");
        using Process process = ToolProcess.Start(start);

        ToolResult result = await ToolProcess.FinishAsync(process);

        Assert.Equal(3, result.ExitCode);
        string line = Assert.Single(result.ErrorLines);
        Assert.Contains("400 open files", line, StringComparison.Ordinal);
        Assert.Contains("ulimit -n", line, StringComparison.Ordinal);
    }
}
