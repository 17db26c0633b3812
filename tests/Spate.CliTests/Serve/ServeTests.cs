using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Spate.Cli.Shell;
using Spate.Measurement.Counting;

namespace Spate.CliTests.Serve;

/// <summary><c>spate serve</c> against sockets of another program and against the tool; loopback only.</summary>
public sealed class ServeTests
{
    private IPEndPoint _server = new(IPAddress.Loopback, 0);

    [Theory]
    [InlineData("rio-hybrid", "Registered I/O")]
    [InlineData("iocp-one", "completion ports")]
    public async Task Serve_DesignThisSystemLacks_SaysWhyInOneLine(string design, string needed)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has it");

        ToolResult result = await Tool.RunAsync("serve", "127.0.0.1:0", "--design", design);

        Assert.Equal(ExitCode.CouldNotRun, result.ExitCode);
        Assert.StartsWith(
            $"spate: The design {design} needs {needed}, which this system lacks: Windows only",
            result.Error,
            StringComparison.Ordinal);
        Assert.Single(result.Error.TrimEnd().Split('\n'));
    }

    [Fact]
    public async Task Count_ThousandSmallDatagramsOfSend_AllAreProcessed()
    {
        await using RunningTool server = await StartAsync("--once", "--json", "-");
        ToolResult sent = await Tool.RunAsync(
            "send", _server.ToString(), "--count", "1000", "--size", "20", "--rate", "20k");
        ToolResult result = await server.FinishAsync();

        Assert.Equal((0, 0), (sent.ExitCode, result.ExitCode));
        using JsonDocument report = JsonDocument.Parse(result.Output);
        JsonElement root = report.RootElement;
        Assert.Equal(1000, root.GetProperty("datagrams").GetInt64());
        Assert.Equal(20_000, root.GetProperty("bytes").GetInt64());
        Assert.Equal(1000, root.GetProperty("processed").GetInt64());
        Assert.Equal(1000, root.GetProperty("processedOf").GetInt64());
        Assert.Equal(100, root.GetProperty("processedPercent").GetDouble());
        Assert.Contains("processed 1,000 of 1,000 sent (100 %)", result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Once_SenderThatDies_EndsAndSaysSo()
    {
        await using RunningTool server = await StartAsync("--once", "--patience", "0.2", "--json", "-");
        using Socket plain = Bind();
        byte[] payload = new byte[TestDatagram.HeaderBytes];
        TestDatagram.WriteData(payload, TestDatagram.NewStreamId(), 0);
        plain.SendTo(payload, _server);
        ToolResult result = await server.FinishAsync();

        Assert.Equal(0, result.ExitCode);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        JsonElement root = report.RootElement;
        Assert.Equal(1, root.GetProperty("silentSenders").GetInt64());
        Assert.Equal(0, root.GetProperty("endedStreams").GetInt64());
        Assert.Equal(0.2, root.GetProperty("patienceSeconds").GetDouble());
        Assert.False(root.GetProperty("perStream")[0].GetProperty("ended").GetBoolean());
        Assert.Contains(
            "1 sender(s) never announced an end: counted as ended after 0.2 s of silence",
            result.Error,
            StringComparison.Ordinal);

        // One call brought all there was, which tells no rate.
        Assert.Equal(JsonValueKind.Null, root.GetProperty("datagramsPerSecond").ValueKind);
        Assert.Equal(JsonValueKind.Null, root.GetProperty("bitsPerSecond").ValueKind);
        Assert.Contains("in 0.00 s: too short for a rate", result.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("sharded")]
    [InlineData("one-by-one")]
    [InlineData("reader-workers")]
    public async Task Count_NumberedDatagrams_JsonTellsThreadsAndCosts(string design)
    {
        await using RunningTool server = await StartAsync(
            "--design", design, "--threads", "2", "--work", "10", "--once", "--json", "-");
        await Tool.RunAsync("send", _server.ToString(), "--count", "300", "--rate", "20k", "--flows", "2");
        ToolResult result = await server.FinishAsync();

        Assert.Equal(0, result.ExitCode);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        JsonElement root = report.RootElement;
        Assert.Equal(("serve", design, "count"), (Text(root, "kind"), Text(root, "design"), Text(root, "app")));
        Assert.Equal(300, root.GetProperty("datagrams").GetInt64());
        Assert.Equal(100, root.GetProperty("processedPercent").GetDouble());
        Assert.Equal(0, root.GetProperty("lost").GetInt64());
        Assert.Equal(10, root.GetProperty("workRounds").GetInt32());
        Assert.True(root.GetProperty("workNanosecondsPerRound").GetDouble() > 0);
        foreach (string field in (string[])[
            "seconds", "datagramsPerSecond", "bitsPerSecond", "cpuUserSeconds", "cpuSystemSeconds", "allocatedBytes",
            "gen0Collections", "residentBytes", "residentPeakBytes", "calls", "backend", "offloads",
            "bufferAskedBytes", "bufferGrantedBytes", "kernelDrops", "interruptsPerSecond", "lockedBytes"])
        {
            Assert.True(root.TryGetProperty(field, out _), field);
        }

        JsonElement[] threads = [.. root.GetProperty("threads").EnumerateArray()];
        JsonElement[] handlers = [.. threads.Where(static thread => thread.GetProperty("shard").GetInt32() >= 0)];
        Assert.Equal(2, handlers.Length);
        Assert.Equal(300, handlers.Sum(static thread => thread.GetProperty("datagrams").GetInt64()));
        foreach (string field in (string[])[
            "role", "cpu", "calls", "leastPerCall", "meanPerCall", "mostPerCall", "voluntarySwitches",
            "involuntarySwitches", "cpuSeconds", "sharePercent"])
        {
            Assert.All(threads, thread => Assert.True(thread.TryGetProperty(field, out _), field));
        }
    }

    [Fact]
    public async Task Echo_HostilePayload_ComesBackAndNeverReachesTheTerminal()
    {
        string path = Path.GetTempFileName();
        await using RunningTool server = await StartAsync(
            "--app", "echo", "--count", "3", "--interval", "0.1", "--json", path);
        using Socket plain = Bind();
        byte[] hostile = Encoding.UTF8.GetBytes("\u001b[2J\u001b]0;owned\u0007\r\nspate: \u202e[red]x");
        byte[] answer = new byte[100];
        for (int i = 0; i < 3; i++)
        {
            plain.SendTo(hostile, _server);
            Assert.Equal(hostile, answer[..await ReceiveAsync(plain, answer)]);
        }

        ToolResult result = await server.FinishAsync();

        Assert.Equal(0, result.ExitCode);
        Assert.Contains("handled 3 datagrams", result.Output, StringComparison.Ordinal);
        Assert.Contains("sent 3, refused by this system 0", result.Output, StringComparison.Ordinal);
        string all = result.Output + result.Error;
        Assert.DoesNotContain('\u001b', all);
        Assert.DoesNotContain("owned", all, StringComparison.Ordinal);
        Assert.DoesNotContain('\u202e', all);

        // Nobody has kept account of numbers, so what was lost is not known.
        using JsonDocument report = JsonDocument.Parse(File.ReadAllText(path));
        File.Delete(path);
        Assert.Equal(JsonValueKind.Null, report.RootElement.GetProperty("lost").ValueKind);
    }

    [Fact]
    public async Task Count_HostileHeaders_EndWithASummary()
    {
        await using RunningTool server = await StartAsync("--count", "60", "--design", "drain");
        using Socket plain = Bind();

        // The magic and version of numbered datagrams, with five kinds and random streams and sequences behind it. One
        // kind in five is data; two are unknown, which do not count as datagrams.
        byte[] payload = new byte[24];
        for (int i = 0; i < 400; i++)
        {
            Random.Shared.NextBytes(payload);
            ((byte[])[0xD7, 0x93, 0xF4, 0xB8, 1, (byte)(i % 5), 0, 0]).CopyTo(payload, 0);
            payload[16] &= 0x3F;
            plain.SendTo(payload, _server);
        }

        ToolResult result = await server.FinishAsync();

        Assert.Equal(0, result.ExitCode);
        Assert.Contains("handled ", result.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("handlers failed", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Relay_TwoDestinations_BothGetEveryDatagram()
    {
        using Socket first = Bind();
        using Socket second = Bind();
        await using RunningTool server = await StartAsync(
            "--app", "relay", "--to", first.LocalEndPoint!.ToString()!, "--to", second.LocalEndPoint!.ToString()!,
            "--count", "200", "--json", "-");
        using Socket plain = Bind();
        for (int i = 0; i < 200; i++)
        {
            plain.SendTo(BitConverter.GetBytes(i), _server);
        }

        ToolResult result = await server.FinishAsync();

        Assert.Equal(0, result.ExitCode);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        Assert.Equal(200, report.RootElement.GetProperty("datagrams").GetInt64());
        Assert.Equal(400, report.RootElement.GetProperty("sent").GetInt64());
        Assert.Contains("nothing is routed back", result.Error, StringComparison.Ordinal);
        foreach (Socket destination in (Socket[])[first, second])
        {
            byte[] payload = new byte[100];
            for (int i = 0; i < 200; i++)
            {
                Assert.Equal(BitConverter.GetBytes(i), payload[..await ReceiveAsync(destination, payload)]);
            }
        }
    }

    [Theory]
    [InlineData("sharded")]
    [InlineData("ring")]
    public async Task Stop_WhileServing_EndsCleanlyWithItsTable(string design)
    {
        await using RunningTool server = await StartAsync("--design", design, "--threads", "2");
        server.Stop();
        ToolResult result = await server.FinishAsync();

        Assert.Equal(0, result.ExitCode);
        Assert.Contains("handled 0 datagrams", result.Output, StringComparison.Ordinal);
        Assert.Matches(
            "thread +CPU +datagrams +share % +calls +least +mean +most +CPU s +user s +system s +switches +forced",
            result.Output);
    }

    [Fact]
    public async Task Start_SystemRefuses_IsOneLineAndExitCodeThree()
    {
        using Socket plain = Bind();
        string busy = plain.LocalEndPoint!.ToString()!;

        AssertRefused(await Tool.RunAsync("serve", busy), "is in use");
        AssertRefused(await Tool.RunAsync("serve", "127.0.0.1:0", busy, "--design", "drain"), $"in use at {busy}");
        AssertRefused(await Tool.RunAsync("serve", "203.0.113.5:9999"), "is not an address of this machine");
    }

    private static void AssertRefused(ToolResult result, string expected)
    {
        string line = Assert.Single(result.ErrorLines);
        Assert.Contains(expected, line, StringComparison.Ordinal);
        Assert.Equal(3, result.ExitCode);
        Assert.Empty(result.Output);
    }

    /// <summary>Starts a server at a port of the system's choice and waits until it serves.</summary>
    private async Task<RunningTool> StartAsync(params string[] options)
    {
        RunningTool server = Tool.Start(["serve", "127.0.0.1:0", .. options]);
        _server = await server.ReadEndPointAsync("spate: serving at ");
        return server;
    }

    private static Socket Bind()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    private static async Task<int> ReceiveAsync(Socket socket, byte[] buffer)
    {
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        patience.CancelAfter(TimeSpan.FromSeconds(120));
        return await socket.ReceiveAsync(buffer, SocketFlags.None, patience.Token);
    }

    private static string? Text(JsonElement root, string field) => root.GetProperty(field).GetString();
}
