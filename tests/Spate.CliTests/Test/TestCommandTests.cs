using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Spate.CliTests.Test;

/// <summary>Both ends of <c>spate test</c> in this process; loopback only, bounded loads.</summary>
public sealed partial class TestCommandTests
{
    private static string KeyFile => Path.Combine(AppContext.BaseDirectory, $"key-{Environment.ProcessId}");

    [Theory]
    [InlineData(1, "client")]
    [InlineData(3, "server", "-R")]
    [InlineData(2, "client server", "--bidir")]
    public async Task Client_CountNamed_ReportsBothEndsExactly(int flows, string from, params string[] options)
    {
        await using RunningTestServer server = await RunningTestServer.StartAsync("--once");

        ToolResult result = await Tool.RunAsync(
        [
            "test", "-c", server.EndPoint, "--count", "300", "--rate", "5k", "--size", "64", "--flows", $"{flows}",
            "--json", "-", .. options,
        ]);

        Assert.True(result.ExitCode == 0, result.Error);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        JsonElement root = report.RootElement;
        Assert.Equal("test", root.GetProperty("kind").GetString());
        Assert.Equal(from, string.Join(' ', root.GetProperty("directions").EnumerateArray().Select(
            static one => one.GetProperty("from").GetString())));
        Assert.All(root.GetProperty("directions").EnumerateArray(), static one =>
        {
            Assert.Equal(300, one.GetProperty("datagrams").GetInt64());
            Assert.Equal(300, one.GetProperty("unique").GetInt64());
            Assert.Equal(0, one.GetProperty("lost").GetInt64());
        });
        JsonElement remote = root.GetProperty("remote");
        Assert.Equal(
            from.Contains("client", StringComparison.Ordinal),
            remote.GetProperty("received").ValueKind == JsonValueKind.Object);
        Assert.Equal(0, (await server.FinishAsync()).ExitCode);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Client_Text_ShowsIntervalsAndSummary(bool isVerbose)
    {
        await using RunningTestServer server = await RunningTestServer.StartAsync("--once");

        ToolResult result = await Tool.RunAsync(
            ["test", "-c", server.EndPoint, "--count", "2k", "--rate", "2k", "--interval", "0.2", "--size", "100",
                .. isVerbose ? ["--verbose"] : (string[])[]]);

        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Contains("this host to the server:", result.Output, StringComparison.Ordinal);

        // A busy machine may have made the sender skip some.
        Assert.Matches("Nothing (was lost\\.|that was sent was lost, but .* skipped)", result.Output);
        Assert.Contains("RTT of", result.Output, StringComparison.Ordinal);
        foreach (string end in (string[])["this host", "the server"])
        {
            Assert.Equal(isVerbose, Regex.IsMatch(
                result.Output, $"\n{end}:\nresident memory .*\ninterface lo, ", RegexOptions.None, Tool.Patience));
        }

        // A busy machine makes the test longer, and intervals too; none is shorter but the last.
        double[] ends = [.. IntervalEnd().Matches(result.Output)
            .Select(static row => double.Parse(row.Groups["end"].Value, CultureInfo.InvariantCulture))];
        Assert.InRange(ends.Length, 2, (int)Math.Ceiling(ends[^1] / 0.2) + 1);
    }

    [Theory]
    [InlineData("spin")]
    [InlineData("sleep")]
    public async Task Client_PaceNamed_HoldsForBothSenders(string pace)
    {
        await using RunningTestServer server = await RunningTestServer.StartAsync("--once");
        string path = Path.GetTempFileName();
        try
        {
            ToolResult result = await Tool.RunAsync(
                "test", "-c", server.EndPoint, "--bidir", "--count", "200", "--rate", "2k", "--size", "64", "--pace",
                pace, "--json", path);

            Assert.True(result.ExitCode == 0, result.Error);
            Assert.Equal(
                2, Regex.Count(result.Output, $"\npace {pace}: off schedule by .* p99 .* max .* bursts of up to "));
            using JsonDocument report = JsonDocument.Parse(
                await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken));
            JsonElement directions = report.RootElement.GetProperty("directions");
            foreach ((string end, string from) in ((string, string)[])[("local", "client"), ("remote", "server")])
            {
                JsonElement pacing = report.RootElement.GetProperty(end).GetProperty("sent").GetProperty("pacing");
                Assert.Equal(pace, pacing.GetProperty("mode").GetString());

                // On a busy machine a sender may have to skip some. The direction says how many.
                JsonElement direction = directions.EnumerateArray().Single(
                    one => string.Equals(one.GetProperty("from").GetString(), from, StringComparison.Ordinal));
                Assert.Equal(direction.GetProperty("skipped").GetInt64(), pacing.GetProperty("skipped").GetInt64());
                Assert.InRange(pacing.GetProperty("gapError").GetProperty("p99Microseconds").GetDouble(), 0, 1e7);
            }
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Theory]
    [InlineData("spate: transmit times are unavailable: ")]
    [InlineData(" refused: at the server, transmit times are unavailable: ", "-R")]
    public async Task Client_TxtimeWhereNothingKeepsTimes_SaysWhatIsMissing(string expected, params string[] options)
    {
        await using RunningTestServer server = await RunningTestServer.StartAsync();

        ToolResult result = await Tool.RunAsync(
            ["test", "-c", server.EndPoint, "--count", "10", "--rate", "1k", "--pace", "txtime", .. options]);

        Assert.Equal(3, result.ExitCode);
        string line = Assert.Single(result.ErrorLines);
        Assert.Contains(expected, line, StringComparison.Ordinal);
        Assert.EndsWith("; use --pace sleep or spin", line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Client_RemoteCpuAutomatic_ShowsTheCpuOfTheServersThread()
    {
        await using RunningTestServer server = await RunningTestServer.StartAsync("--once");

        ToolResult result = await Tool.RunAsync(
            "test", "-c", server.EndPoint, "--count", "100", "--rate", "1k", "--cpu", "any", "--remote-cpu", "auto");

        Assert.True(result.ExitCode == 0, result.Error);
        string[] lines = result.Output.Split('\n');
        string received = Assert.Single(lines, static line => line.StartsWith("received ", StringComparison.Ordinal));
        Assert.Matches("; on CPU [0-9]+\r?$", received);
        string sent = Assert.Single(lines, static line => line.StartsWith("sent ", StringComparison.Ordinal));
        Assert.DoesNotContain("on CPU", sent, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Server_HostileLabel_IsEscaped()
    {
        await using RunningTestServer server = await RunningTestServer.StartAsync("--once");

        ToolResult client = await Tool.RunAsync(
            "test", "-c", server.EndPoint, "--count", "10", "--label", "\u001b[2J\u202e\r\nspate: owned\u0007");

        Assert.True(client.ExitCode == 0, client.Error);
        ToolResult result = await server.FinishAsync();
        Assert.Contains("owned", result.Error, StringComparison.Ordinal);
        Assert.All(result.Error, static letter => Assert.True(letter is '\n' or (>= ' ' and <= '~')));
        Assert.All(
            result.ErrorLines, static line => Assert.StartsWith("spate: test of ", line, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Client_WithoutTheKey_IsRefusedInOneLine()
    {
        await File.WriteAllTextAsync(KeyFile, "correct horse battery\n", TestContext.Current.CancellationToken);
        try
        {
            await using RunningTestServer server = await RunningTestServer.StartAsync("--key-file", KeyFile);
            string[] client = ["test", "-c", server.EndPoint, "--count", "10"];

            ToolResult refused = await Tool.RunAsync(client);
            ToolResult granted = await Tool.RunAsync([.. client, "--key-file", KeyFile]);

            Assert.Equal(3, refused.ExitCode);
            Assert.Contains("needs a key", Assert.Single(refused.ErrorLines), StringComparison.Ordinal);
            Assert.Equal(0, granted.ExitCode);
        }
        finally
        {
            File.Delete(KeyFile);
        }
    }

    [Fact]
    public async Task Client_NobodyThere_SaysSo()
    {
        ToolResult result = await Tool.RunAsync("test", "-c", "127.0.0.1:9", "--count", "10");

        Assert.Equal(3, result.ExitCode);
        Assert.Contains(
            "no program listens at 127.0.0.1:9", Assert.Single(result.ErrorLines), StringComparison.Ordinal);
    }

    [GeneratedRegex(@"^ *[0-9.]+-(?<end>[0-9.]+) +sent ", RegexOptions.Multiline, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex IntervalEnd();
}
