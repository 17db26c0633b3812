using System.Text.Json;

namespace Spate.CliTests.Watch;

/// <summary>
/// <c>spate watch</c>, in a network namespace of its own if the counters matter.
/// </summary>
public sealed class WatchCommandTests
{
    // The checks of what belongs to the whole machine, on which others work too.
    private static readonly string[] OfTheMachine = ["steal", "cpu-quota", "netdev-budget", "netdev-max-backlog"];

    // First nothing, then datagrams to port 9, where nobody listens. "$1" "$2" is the tool.
    private const string QuietThenRefused = """
        ip link set lo up || exit 9
        "$1" "$2" watch --count 2 --interval 0.2 --json "$3/quiet" > /dev/null || exit 8
        "$1" "$2" send 127.0.0.1:9 --seconds 100 --rate 1k > /dev/null 2>&1 &
        p=$!; trap 'kill $p' EXIT
        "$1" "$2" watch --count 3 --interval 0.5 --json "$3/refused" --fail-if "problems > 0"
        """;

    [Fact]
    public async Task Watch_QuietThenRefused_NamesOnlyWhatGrew()
    {
        string folder = Directory.CreateTempSubdirectory("spate-watch-").FullName;
        try
        {
            ToolResult result = await ToolProcess.RunInOwnNetworkAsync(QuietThenRefused, count: 3, folder);

            Assert.Equal(1, result.ExitCode);
            AssertQuiet(await ReadAsync(folder, "quiet"));
            AssertRefused(await ReadAsync(folder, "refused"));
            AssertText(result.Output);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task Watch_JsonToAFile_LeavesItWholeAtTheEnd()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "its counters are Linux's");
        string folder = Directory.CreateTempSubdirectory("spate-watch-").FullName;
        try
        {
            string path = Path.Combine(folder, "w.json");

            ToolResult result = await Tool.RunAsync("watch", "--count", "2", "--interval", "0.1", "--json", path);

            Assert.Equal(0, result.ExitCode);
            Assert.Equal(3, Parse(await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken)).Length);
            Assert.Single(Directory.GetFiles(folder));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task Watch_JsonToStdout_IsOneObjectALineAndTheTextGoesToStderr()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "its counters are Linux's");

        ToolResult result = await Tool.RunAsync("watch", "--count", "2", "--interval", "0.1", "--json", "-");

        Assert.Equal(0, result.ExitCode);
        Assert.Equal([1, 2, null], Parse(result.Output).Select(static one => Number(one.GetProperty("interval"))));
        Assert.Matches(@"(^|\n)watched for \d", result.Error);
    }

    [Fact]
    public async Task Watch_Stopped_EndsItWithTheSummary()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "its counters are Linux's");
        await using RunningTool tool = Tool.Start("watch", "--interval", "0.1");
        Assert.NotNull(await tool.ReadOutputLineAsync());

        tool.Stop();
        ToolResult result = await tool.FinishAsync();

        Assert.Equal(0, result.ExitCode);
        Assert.Matches(@"\nwatched for \d", result.Output);
    }

    [Theory]
    [InlineData("--interval 'x'", "--interval", "x")]
    [InlineData("--interval '0.01'", "--interval", "0.01")]
    [InlineData("--interface 'none0'", "--interface", "none0")]
    [InlineData("--profile '2g'", "--profile", "2g")]
    [InlineData("--count '0'", "--count", "0")]
    [InlineData("--interval 0 has none", "--interval", "0", "--count", "3")]
    [InlineData("problem' is wrong", "--fail-if", "problem")]
    public async Task Watch_WrongUse_IsOneLine(string expected, params string[] arguments)
    {
        ToolResult result = await Tool.RunAsync(["watch", .. arguments]);

        Assert.Equal((2, ""), (result.ExitCode, result.Output));
        Assert.Contains(expected, Assert.Single(result.ErrorLines), StringComparison.Ordinal);
    }

    private static void AssertText(string output)
    {
        string[] lines = output.Split('\n');
        int marked = lines.Count(static line => line.Contains("s ! UDP UdpNoPorts +", StringComparison.Ordinal));
        Assert.InRange(marked, 2, 3);
        Assert.Equal(2, lines.Count(static line => line.StartsWith("problem: no-ports", StringComparison.Ordinal)));
        Assert.Contains(lines, static line => line.Contains(" lo: in ", StringComparison.Ordinal));
        Assert.Matches(@"\nwatched for \d\.\d s, profile 1g: \d problems?\n", output);
        Assert.DoesNotContain('\u001b', output);
        Assert.DoesNotContain("127.0.0.1", output, StringComparison.Ordinal);
    }

    private static void AssertRefused(JsonElement[] reports)
    {
        Assert.Equal([1, 2, 3, null], reports.Select(static one => Number(one.GetProperty("interval"))));
        JsonElement whole = reports[^1];
        Assert.True(whole.GetProperty("problems").GetInt32() > 0);
        Assert.Contains(
            whole.GetProperty("checks").EnumerateArray(),
            static one => one.GetProperty("id").GetString() is "no-ports");
        Assert.Contains(
            whole.GetProperty("counters").EnumerateArray(),
            static one => one.GetProperty("name").GetString() is "UdpNoPorts"
                && one.GetProperty("growth").GetInt64() > 0);
        Assert.True(reports[1].GetProperty("startSeconds").GetDouble() > 0);
    }

    private static void AssertQuiet(JsonElement[] reports)
    {
        Assert.Equal(3, reports.Length);
        Assert.All(reports, static report =>
        {
            Assert.DoesNotContain(
                report.GetProperty("checks").EnumerateArray(),
                static one => Array.IndexOf(OfTheMachine, one.GetProperty("id").GetString()) < 0);
            Assert.DoesNotContain(
                report.GetProperty("counters").EnumerateArray(),
                static one => !one.GetProperty("place").GetString()!.StartsWith("CPU", StringComparison.Ordinal));
            Assert.Empty(report.GetProperty("sockets").EnumerateArray());
        });
    }

    private static async Task<JsonElement[]> ReadAsync(string folder, string file) => Parse(
        await File.ReadAllTextAsync(Path.Combine(folder, file), TestContext.Current.CancellationToken));

    private static JsonElement[] Parse(string output) =>
    [
        .. output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line =>
        {
            using JsonDocument document = JsonDocument.Parse(line);
            Assert.Equal("watch", document.RootElement.GetProperty("kind").GetString());
            return document.RootElement.Clone();
        }),
    ];

    private static int? Number(JsonElement value) => value.ValueKind == JsonValueKind.Null ? null : value.GetInt32();
}
