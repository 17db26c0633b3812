using System.Text.Json;

namespace Spate.HostTests.Cli.Watch;

/// <summary><c>spate watch</c> in a network whose counters nobody else moves.</summary>
public sealed class WatchedRefusalTests
{
    // The checks of what belongs to the whole machine, on which others work too.
    private static readonly string[] OfTheMachine = ["steal", "cpu-quota", "netdev-budget", "netdev-max-backlog"];

    // First nothing, then datagrams to port 9, where nobody listens. FOLDER is where the reports go.
    private const string QuietThenRefused = """
        ip link set lo up || exit 9
        "$@" watch --count 2 --interval 0.2 --json "FOLDER/quiet" > /dev/null || exit 8
        "$@" send 127.0.0.1:9 --seconds 100 --rate 1k > /dev/null 2>&1 &
        p=$!; trap 'kill $p' EXIT
        "$@" watch --count 3 --interval 0.5 --json "FOLDER/refused" --fail-if "problems > 0"
        """;

    [Fact]
    public async Task Watch_QuietThenRefused_NamesOnlyWhatGrew()
    {
        string folder = Directory.CreateTempSubdirectory("spate-watch-").FullName;
        try
        {
            ToolResult result = await ToolProcess.RunInOwnNetworkAsync(
                QuietThenRefused.Replace("FOLDER", folder, StringComparison.Ordinal), count: 3);

            Assert.Equal(1, result.ExitCode);
            AssertQuiet(await WatchReports.ReadAsync(Path.Combine(folder, "quiet")));
            AssertRefused(await WatchReports.ReadAsync(Path.Combine(folder, "refused")));
            AssertText(result.Output);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
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
        Assert.Equal([1, 2, 3, null], WatchReports.Intervals(reports));
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
}
