using System.Diagnostics;
using System.Text.Json;
using Spate.Cli;

namespace Spate.CliTests.Bench;

public sealed class BenchSocketsTests
{
    [Fact]
    public async Task BenchSockets_AsJson_HasARowForEachWay()
    {
        ToolResult result = await Tool.RunAsync(
            "bench", "sockets", "--count", "1,50", "--queued", "2", "--quick", "--json", "-");

        Assert.Equal(0, result.ExitCode);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        Assert.Equal("sockets", report.RootElement.GetProperty("kind").GetString());
        JsonElement[] rows = [.. report.RootElement.GetProperty("rows").EnumerateArray()];
        string[] found =
        [
            .. rows.Select(row => $"{row.GetProperty("sockets").GetInt32()} {row.GetProperty("mode").GetString()} "
                + $"{row.GetProperty("queued").GetInt32()}"),
        ];
        Assert.Equal(
            ["1 poller 2", "1 awaitable 2", "1 in-turn 2", "50 poller 2", "50 awaitable 2", "50 in-turn 2"], found);
        Assert.All(rows, row => Assert.True(row.GetProperty("receiveNanosecondsPerDatagram").GetDouble() > 0));
    }

    // With 400 open files allowed, a million sockets are refused on every machine.
    [Fact]
    public async Task BenchSockets_DescriptorLimit_OneLineSaysWhatToDo()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the limit is set with ulimit of a Linux shell");
        ProcessStartInfo start = ToolProcess.StartInfo();
        start.FileName = "/bin/sh";
        start.ArgumentList.Clear();
        start.ArgumentList.Add("-c");
        start.ArgumentList.Add(
            $"ulimit -n 400; exec dotnet '{ToolProcess.AssemblyPath}' bench sockets --count 1m --queued 64 --size 65507"
            + " --seconds 31536000");
        using Process process = ToolProcess.Start(start);

        ToolResult result = await ToolProcess.FinishAsync(process);

        Assert.Equal(3, result.ExitCode);
        string line = Assert.Single(result.ErrorLines);
        Assert.Contains("400 open files", line, StringComparison.Ordinal);
        Assert.Contains("ulimit -n", line, StringComparison.Ordinal);
    }
}
