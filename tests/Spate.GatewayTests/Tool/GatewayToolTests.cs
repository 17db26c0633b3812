using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Spate.CliTests;
using Spate.GatewayTests.Brokers;

namespace Spate.GatewayTests.Tool;

/// <summary><c>spate gateway</c> and <c>spate gateway read</c> as processes, with a broker.</summary>
[Collection(BrokerCollection.Name)]
public sealed class GatewayToolTests
{
    private readonly RabbitBroker _broker;

    public GatewayToolTests(RabbitBroker broker)
    {
        BrokerSetup.Require();
        _broker = broker;
    }

    [Fact]
    public async Task Terminate_UnderLoad_AcceptedIsCommittedOrTold()
    {
        string stream = await _broker.DeclareStreamAsync();
        using Process gateway = Process.Start(CliTests.Tool.StartInfo(
            "gateway", "127.0.0.1:0", "--to", _broker.Target, "--stream", stream, "--threads", "1", "--interval", "0",
            "--json", "-"))!;
        IPEndPoint end = await ReadEndAsync(gateway);
        using var sender = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        byte[] hostile = Encoding.UTF8.GetBytes("\u001b[2J\u202eowned\r\n");
        for (int i = 0; i < 5000; i++) sender.SendTo(hostile, end);
        using Process kill = Process.Start("kill", ["-TERM", $"{gateway.Id}"]);
        ToolResult result = await CliTests.Tool.FinishAsync(gateway);

        Assert.Equal(0, result.ExitCode);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        JsonElement root = report.RootElement;
        long accepted = root.GetProperty("accepted").GetInt64();
        Assert.InRange(accepted, 1, 5000);
        Assert.Equal(accepted, root.GetProperty("committed").GetInt64() + root.GetProperty("dropped").GetInt64());
        Assert.Equal(0, root.GetProperty("difference").GetInt64());
        Assert.Contains("difference 0", result.Error, StringComparison.Ordinal);

        ToolResult read = await CliTests.Tool.RunAsync(
            "gateway", "read", "--from", _broker.Target, "--stream", stream, "--verify", "--ndjson");
        Assert.Equal(0, read.ExitCode);
        string[] lines = read.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(root.GetProperty("committed").GetInt64(), lines.Length);
        Assert.DoesNotContain(read.Output + read.Error, static character => character is '\u001b' or '\u202e');
        using JsonDocument first = JsonDocument.Parse(lines[0]);
        Assert.Equal(Encoding.UTF8.GetString(hostile), first.RootElement.GetProperty("text").GetString());
    }

    [Fact]
    public async Task Restart_AfterAKill_ServesAtTheSamePortAndTheReaderNamesTheEnd()
    {
        string stream = await _broker.DeclareStreamAsync();
        string end = $"127.0.0.1:{BrokerSetup.FindPorts(1)[0]}";
        string[] arguments =
        [
            "gateway", end, "--to", _broker.Target, "--stream", stream, "--threads", "1", "--id", "again",
        ];
        using (Process first = Process.Start(CliTests.Tool.StartInfo(arguments))!)
        {
            await ReadEndAsync(first);
            first.Kill();
            await first.WaitForExitAsync(TestContext.Current.CancellationToken);
        }

        long startTicks = Stopwatch.GetTimestamp();
        using Process second = Process.Start(CliTests.Tool.StartInfo(arguments))!;
        await ReadEndAsync(second);
        TestContext.Current.TestOutputHelper?.WriteLine($"serves after {Stopwatch.GetElapsedTime(startTicks)}");
        using Process kill = Process.Start("kill", ["-TERM", $"{second.Id}"]);
        Assert.Equal(0, (await CliTests.Tool.FinishAsync(second)).ExitCode);

        ToolResult read = await CliTests.Tool.RunAsync(
            "gateway", "read", "--from", _broker.Target, "--stream", stream, "--verify", "--json", "-");
        Assert.Equal(0, read.ExitCode);
        using JsonDocument report = JsonDocument.Parse(read.Output);
        string?[] states = [.. report.RootElement.GetProperty("keys").EnumerateArray()
            .Select(static key => key.GetProperty("state").GetString())];
        Assert.Contains("ended", states, StringComparer.Ordinal);
        Assert.DoesNotContain("open", states, StringComparer.Ordinal);
    }

    [Fact]
    public async Task Start_MissingStream_IsOneLineAndExitCodeThree()
    {
        ToolResult result = await CliTests.Tool.RunAsync(
            "gateway", "127.0.0.1:0", "--to", _broker.Target, "--stream", "none");

        Assert.Equal(3, result.ExitCode);
        Assert.Contains("there is no stream 'none'", result.ErrorLines[^1], StringComparison.Ordinal);
    }

    private static async Task<IPEndPoint> ReadEndAsync(Process gateway)
    {
        while (await gateway.StandardError.ReadLineAsync(TestContext.Current.CancellationToken) is { } line)
        {
            const string Before = "receiving at ";
            int at = line.IndexOf(Before, StringComparison.Ordinal);
            if (at >= 0) return IPEndPoint.Parse(line[(at + Before.Length)..].Split(' ')[0]);
        }

        throw new InvalidOperationException("The gateway did not start.");
    }
}
