using System.Globalization;

namespace Spate.CliTests;

/// <summary>
/// The JSON of every command has the same keys and types from the native tool as from the tool compiled at run time.
/// </summary>
public sealed class NativeJsonTests : IDisposable
{
    private readonly DirectoryInfo _folder;

    public NativeJsonTests()
    {
        NativeTool.Require();
        _folder = Directory.CreateTempSubdirectory("spate-native-");
    }

    /// <summary>Starts a command in one of the two ways.</summary>
    private delegate RunningTool Starter(params string[] arguments);

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData("info")]
    [InlineData("doctor --seconds 0.1")]
    [InlineData("watch --count 2 --interval 0.1")]
    [InlineData("tune --seconds 0.1")]
    [InlineData("bench --quick")]
    [InlineData("bench drain --quick")]
    [InlineData("bench pingpong --quick")]
    [InlineData("bench sessions --quick")]
    [InlineData("bench sockets --count 8 --queued 8 --size 64 --quick")]
    [InlineData("bench designs --quick --rows sharded,drain")]
    [InlineData("bench relay --quick")]
    [InlineData("gateway 127.0.0.1:0 --to null: --seconds 0.3 --interval 0.1")]
    [InlineData("plan --per-day 45m --stall 200ms --cost-per-month 15 REPORT")]
    [InlineData("compare REPORT REPORT")]
    public Task Json_OfACommand_HasTheSameKeysAndTypes(string command) => AssertSameAsync(async start =>
    {
        await using RunningTool tool = start([.. WordsOf(command), "--json", "-"]);
        ToolResult result = await tool.FinishAsync();
        Assert.True(result.ExitCode == 0, result.Error);
        return [result.Output];
    });

    [Theory]
    [InlineData("receive 127.0.0.1:0 --count 100")]
    [InlineData("serve 127.0.0.1:0 --count 100")]
    [InlineData("serve 127.0.0.1:0 --app echo --count 100 --design adaptive")]
    [InlineData("gateway 127.0.0.1:0 --to null: --seconds 1")]
    public Task Json_OfBothEnds_HasTheSameKeysAndTypes(string receiver) => AssertSameAsync(async start =>
    {
        await using RunningTool first = start([.. receiver.Split(' '), "--json", "-"]);
        string line = await first.ReadErrorLineWithAsync("127.0.0.1:");
        string end = line[line.IndexOf("127.0.0.1:", StringComparison.Ordinal)..].Split(' ', ',', ';')[0];
        await using RunningTool second = start(
            "send", end, "--count", "200", "--rate", "1k", "--interval", "0.1", "--json", "-");
        ToolResult sent = await second.FinishAsync();
        Assert.True(sent.ExitCode == 0, sent.Error);
        ToolResult received = await first.FinishAsync();
        Assert.True(received.ExitCode == 0, received.Error);
        return [sent.Output, received.Output];
    });

    [Theory]
    [InlineData("--bidir")]
    [InlineData("-R")]
    public Task Json_OfATest_HasTheSameKeysAndTypes(string way) => AssertSameAsync(async start =>
    {
        await using RunningTool server = start("test", "-s", "127.0.0.1:0", "--once");
        string end = $"{await server.ReadEndPointAsync("waiting for tests at ")}";
        await using RunningTool client = start(
            "test", "-c", end, way, "--count", "200", "--rate", "1k", "--interval", "0.1", "--json", "-");
        ToolResult tested = await client.FinishAsync();
        Assert.True(tested.ExitCode == 0, tested.Error);
        ToolResult served = await server.FinishAsync();
        Assert.True(served.ExitCode == 0, served.Error);
        return [tested.Output];
    });

    [Theory]
    [InlineData("-J")]
    [InlineData("-J", "--bidir")]
    [InlineData("--json-stream", "--json-stream-full-output")]
    public Task Json_OfIperf3_HasTheSameKeysAndTypes(params string[] options) => AssertSameAsync(async start =>
    {
        string port = FreePorts.Find(1)[0].ToString(CultureInfo.InvariantCulture);
        await using RunningTool server = start("iperf3", "-s", "-B", "127.0.0.1", "-p", port, "-1");
        await server.ReadOutputLineWithAsync("listening");
        await using RunningTool client = start(
            ["iperf3", "-c", "127.0.0.1", "-p", port, "-u", "-t", "1", "-i", "0.5", .. options]);
        ToolResult tested = await client.FinishAsync();
        Assert.True(tested.ExitCode == 0, tested.Error);
        ToolResult served = await server.FinishAsync();
        Assert.True(served.ExitCode == 0, served.Error);
        return [tested.Output];
    });

    private static async Task AssertSameAsync(Func<Starter, Task<string[]>> run)
    {
        string[] inside = await run(RunningTool.StartInside);
        string[] native = await run(RunningTool.Start);

        Assert.Equal(inside.Length, native.Length);
        for (int i = 0; i < inside.Length; i++)
        {
            Assert.Empty(JsonShape.Of(inside[i]).DifferencesTo(JsonShape.Of(native[i])));
        }
    }

    private string[] WordsOf(string command)
    {
        string report = Path.Combine(_folder.FullName, "report.json");
        File.WriteAllText(report, """
            {
              "schema": "spate/1", "kind": "drain", "kernel": "k", "runtime": "r", "cpus": 2,
              "rows": [{ "name": "spate-mmsg", "sizeBytes": 200, "spreadPercent": 1,
                "receiveNanosecondsPerDatagram": 600, "sendNanosecondsPerDatagram": 3000,
                "samples": [600, 601, 602, 603, 604] }]
            }
            """);
        return command.Replace("REPORT", report, StringComparison.Ordinal).Split(' ');
    }
}
