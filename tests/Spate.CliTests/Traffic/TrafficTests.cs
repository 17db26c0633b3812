using System.Buffers.Binary;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;

namespace Spate.CliTests.Traffic;

/// <summary>The tool against sockets of another program, and against itself; loopback only, bounded loads.</summary>
public sealed class TrafficTests
{
    [Theory]
    [InlineData("127.0.0.1")]
    [InlineData("::1")]
    public async Task Send_ToAPlainSocket_DeliversEveryDatagramWhole(string address)
    {
        const int Count = 200;
        using Socket? plain = TryBind(IPAddress.Parse(address));
        Assert.SkipWhen(plain is null, $"{address} cannot be bound here");
        plain.ReceiveBufferSize = 1 << 20;
        Task<ToolResult> run = Tool.RunAsync(
            "send", plain.LocalEndPoint!.ToString()!, "--count", $"{Count}", "--size", "100", "--rate", "5k",
            "--json", "-");

        int received = 0;
        byte[] buffer = new byte[2048];
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(120));
        while (received < Count)
        {
            int length = await plain.ReceiveAsync(buffer, SocketFlags.None, patience.Token);
            Assert.Equal(100, length);
            received++;
        }

        ToolResult result = await run;
        Assert.True(result.ExitCode == 0, result.Error);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        Assert.Equal("send", report.RootElement.GetProperty("kind").GetString());
        Assert.Equal(Count, report.RootElement.GetProperty("datagrams").GetInt64());
        Assert.Equal(Count * 100, report.RootElement.GetProperty("bytes").GetInt64());
    }

    [Fact]
    public async Task Send_TooSmallForNumbers_AnnouncesOnlyItsTotal()
    {
        const int HeaderBytes = 24;
        using Socket plain = TryBind(IPAddress.Loopback)!;
        ToolResult result = await Tool.RunAsync(
            "send", plain.LocalEndPoint!.ToString()!, "--count", "50", "--size", "20", "--rate", "5k");

        Assert.True(result.ExitCode == 0, result.Error);
        plain.Blocking = false;
        byte[] buffer = new byte[2048];
        for (int i = 0; i < 50; i++)
        {
            Assert.Equal(20, plain.Receive(buffer));
        }

        int copies = 0;
        for (; plain.Available > 0; copies++)
        {
            Assert.Equal(HeaderBytes, plain.Receive(buffer));
            Assert.Equal("D793F4B801040000", Convert.ToHexString(buffer.AsSpan(0, 8)));
            Assert.Equal(50, BinaryPrimitives.ReadInt64BigEndian(buffer.AsSpan(16)));
        }

        Assert.InRange(copies, 1, 10);
    }

    [Fact]
    public async Task Send_SeveralTargets_ShareTheLoad()
    {
        using Socket first = TryBind(IPAddress.Loopback)!;
        using Socket second = TryBind(IPAddress.Loopback)!;
        ToolResult result = await Tool.RunAsync(
            "send", first.LocalEndPoint!.ToString()!, second.LocalEndPoint!.ToString()!,
            "--count", "101", "--size", "10", "--rate", "5k");

        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Equal((51, 50), (Drain(first, 10), Drain(second, 10)));
    }

    [Theory]
    [InlineData("auto")]
    [InlineData("portable")]
    public async Task Receive_FromAPlainSocket_CountsEveryDatagram(string backend)
    {
        await using RunningTool receiver = await StartReceiverAsync(
            "--backend", backend, "--count", "30", "--json", "-");
        using var plain = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        for (int i = 0; i < 30; i++)
        {
            plain.SendTo(new byte[i * 50], _receiverEndPoint!);
        }

        ToolResult result = await receiver.FinishAsync();

        Assert.True(result.ExitCode == 0, result.Error);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        Assert.Equal(30, report.RootElement.GetProperty("datagrams").GetInt64());
        Assert.Equal(30, report.RootElement.GetProperty("otherDatagrams").GetInt64());
        Assert.Equal(29 * 30 / 2 * 50, report.RootElement.GetProperty("bytes").GetInt64());
        Assert.Equal(JsonValueKind.Null, report.RootElement.GetProperty("sizeBytes").ValueKind);
    }

    [Fact]
    public async Task Receive_FromSend_KnowsThatNothingWasLost()
    {
        await using RunningTool receiver = await StartReceiverAsync("--json", "-", "--interval", "0.5");
        ToolResult sent = await Tool.RunAsync(
            "send", _receiverEndPoint!.ToString(), "--count", "300", "--rate", "10k", "--flows", "2", "--json", "-");
        receiver.Stop();
        ToolResult received = await receiver.FinishAsync();

        Assert.Equal((0, 0), (sent.ExitCode, received.ExitCode));
        using JsonDocument report = JsonDocument.Parse(received.Output);
        JsonElement root = report.RootElement;
        Assert.Equal(300, root.GetProperty("datagrams").GetInt64());
        Assert.Equal(0, root.GetProperty("lost").GetInt64());
        Assert.Equal(0, root.GetProperty("duplicated").GetInt64());
        Assert.Equal(2, root.GetProperty("streams").GetInt64());
        Assert.All(root.GetProperty("perStream").EnumerateArray(), static stream =>
        {
            Assert.Equal(150, stream.GetProperty("datagrams").GetInt64());
            Assert.True(stream.GetProperty("ended").GetBoolean());
        });
    }

    [Theory]
    [InlineData("INT")]
    [InlineData("TERM")]
    [InlineData("HUP")]
    public async Task Receive_Signal_EndsCleanlyWithItsSummary(string signal)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsMacOS(), "kill(1) is needed");
        using Process receiver = ToolProcess.Start("receive", "127.0.0.1:0");
        Assert.NotNull(await receiver.StandardError.ReadLineAsync(TestContext.Current.CancellationToken));
        using Process kill = Process.Start("kill", ["-" + signal, $"{receiver.Id}"]);
        ToolResult result = await ToolProcess.FinishAsync(receiver);

        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Contains("received 0 datagrams", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Receive_BusyPort_IsOneLineAndExitCodeThree()
    {
        using Socket plain = TryBind(IPAddress.Loopback)!;

        AssertRefused(await Tool.RunAsync("receive", plain.LocalEndPoint!.ToString()!), "is in use");
    }

    [Fact]
    public async Task Receive_ForeignAddress_IsOneLineAndExitCodeThree() =>
        AssertRefused(await Tool.RunAsync("receive", "203.0.113.5:9999"), "is not an address of this machine");

    private static void AssertRefused(ToolResult result, string expected)
    {
        string line = Assert.Single(result.ErrorLines);
        Assert.Contains(expected, line, StringComparison.Ordinal);
        Assert.Equal(3, result.ExitCode);
        Assert.Empty(result.Output);
    }

    private IPEndPoint? _receiverEndPoint;

    /// <summary>Starts a receiver at a port of the system's choice and waits until it listens.</summary>
    private async Task<RunningTool> StartReceiverAsync(params string[] options)
    {
        RunningTool receiver = Tool.Start(["receive", "127.0.0.1:0", .. options]);
        _receiverEndPoint = await receiver.ReadEndPointAsync("spate: receiving at ");
        return receiver;
    }

    private static Socket? TryBind(IPAddress address)
    {
        try
        {
            var socket = new Socket(address.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
            socket.Bind(new IPEndPoint(address, 0));
            return socket;
        }
        catch (SocketException)
        {
            return null;
        }
    }

    /// <summary>How many datagrams of a size are there; announcements have another.</summary>
    private static int Drain(Socket socket, int sizeBytes)
    {
        int received = 0;
        byte[] buffer = new byte[2048];
        while (socket.Available > 0)
        {
            received += socket.Receive(buffer) == sizeBytes ? 1 : 0;
        }

        return received;
    }
}
