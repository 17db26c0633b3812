using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Spate.HostTests.Gateway.Brokers;

namespace Spate.HostTests.Cli.Gateway;

/// <summary><c>spate gateway</c> and <c>spate gateway read</c> with a broker.</summary>
[Collection(BrokerCollection.Name)]
public sealed class GatewayToolTests
{
    private const string Before = "receiving at ";

    private readonly RabbitBroker _broker;

    public GatewayToolTests(RabbitBroker broker)
    {
        BrokerSetup.Require();
        _broker = broker;
    }

    [Fact]
    public async Task Stop_UnderLoad_AcceptedIsCommittedOrTold()
    {
        string stream = await _broker.DeclareStreamAsync();
        await using RunningTool gateway = Tool.Start(
            "gateway", "127.0.0.1:0", "--to", _broker.Target, "--stream", stream, "--threads", "1", "--interval", "0",
            "--json", "-");
        IPEndPoint end = await gateway.ReadEndPointAsync(Before);
        using var sender = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        byte[] hostile = Encoding.UTF8.GetBytes("\u001b[2J\u202eowned\r\n");
        for (int i = 0; i < 5000; i++) sender.SendTo(hostile, end);
        gateway.Stop();
        ToolResult result = await gateway.FinishAsync();

        Assert.Equal(0, result.ExitCode);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        JsonElement root = report.RootElement;
        long accepted = root.GetProperty("accepted").GetInt64();
        Assert.InRange(accepted, 1, 5000);
        Assert.Equal(accepted, root.GetProperty("committed").GetInt64() + root.GetProperty("dropped").GetInt64());
        Assert.Equal(0, root.GetProperty("difference").GetInt64());
        Assert.Contains("difference 0", result.Error, StringComparison.Ordinal);

        ToolResult read = await Tool.RunAsync(
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
        string[] arguments = ["--to", _broker.Target, "--stream", stream, "--threads", "1", "--id", "again"];

        // Nobody else has this address, so the port that the first was given is free for the second.
        int id = Environment.ProcessId;
        string end = $"127.98.{(id >> 8) & 255}.{id & 255}:0";
        using (Process first = ToolProcess.Start(["gateway", end, .. arguments]))
        {
            end = await ReadEndAsync(first);
            first.Kill();
            await first.WaitForExitAsync(TestContext.Current.CancellationToken);
        }

        long startTicks = Stopwatch.GetTimestamp();
        await using RunningTool second = Tool.Start(["gateway", end, .. arguments]);
        Assert.Equal(end, (await second.ReadEndPointAsync(Before)).ToString());
        TestContext.Current.TestOutputHelper?.WriteLine($"serves after {Stopwatch.GetElapsedTime(startTicks)}");
        second.Stop();
        Assert.Equal(0, (await second.FinishAsync()).ExitCode);

        ToolResult read = await Tool.RunAsync(
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
        ToolResult result = await Tool.RunAsync(
            "gateway", "127.0.0.1:0", "--to", _broker.Target, "--stream", "none");

        Assert.Equal(3, result.ExitCode);
        Assert.Contains("stream 'none' does not exist", result.ErrorLines[^1], StringComparison.Ordinal);
    }

    private static async Task<string> ReadEndAsync(Process gateway)
    {
        while (await gateway.StandardError.ReadLineAsync(TestContext.Current.CancellationToken) is { } line)
        {
            if (line.Contains(Before, StringComparison.Ordinal)) return RunningTool.EndPointIn(line, Before).ToString();
        }

        throw new InvalidOperationException("The gateway did not start.");
    }
}
