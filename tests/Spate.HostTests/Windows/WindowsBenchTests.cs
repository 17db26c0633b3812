using System.Text.Json;

namespace Spate.HostTests.Windows;

/// <summary>The benches of the tool for Windows. Their numbers are those of Wine, and not looked at.</summary>
[QuietHost("processes under Wine, which a loaded host delays")]
public sealed class WindowsBenchTests
{
    private static readonly string[] Rows =
    [
        "socket-async", "socket-async-endpoint", "socket-blocking", "spate-await", "spate-await-inline",
        "spate-portable", "udpclient-async",
    ];

    [Fact]
    public async Task Bench_OfTwoRows_MeasuresBoth() => Assert.Equal<string?[]>(
        ["socket-async", "spate-portable"],
        await MeasureAsync("name", "bench", "--seconds", "5", "--size", "64", "--rows", "socket-async,spate-portable"));

    [Fact]
    public async Task Bench_Quick_MeasuresAllRowsThatNeedNoLinuxInBothSizes() => Assert.Equal<string?[]>(
        [.. Rows.SelectMany(static row => new[] { row, row })], await MeasureAsync("name", "bench", "--quick"));

    [Fact]
    public async Task BenchSockets_Quick_MeasuresAllModes() => Assert.Equal<string?[]>(
        ["awaitable", "in-turn", "poller"],
        await MeasureAsync("mode", "bench", "sockets", "--quick", "--count", "8", "--queued", "8", "--size", "64"));

    // Returns a property of all rows that were measured, in order.
    private static async Task<string?[]> MeasureAsync(string property, params string[] arguments)
    {
        WineTool.Require();

        ToolResult result = await WineTool.RunAsync([.. arguments, "--json", "-"]);

        Assert.True(result.ExitCode == 0, result.Error);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        return
        [
            .. report.RootElement.GetProperty("rows").EnumerateArray()
                .Select(row => row.GetProperty(property).GetString()).Order(StringComparer.Ordinal),
        ];
    }
}
