using System.Net;
using System.Text.Json;

namespace Spate.HostTests.Windows;

/// <summary>Traffic of the tool for Windows with itself, and with the tool of this system.</summary>
public sealed class WindowsTrafficTests
{
    private const int Count = 300;
    private const string Datagrams = "300";

    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public async Task Receive_WhatSendNumbered_CountsAllOfIt(bool isReceiverWine, bool isSenderWine)
    {
        WineTool.Require();
        await using WineEnd receiver = WineEnd.Start(
            isReceiverWine, "receive", "127.0.0.1:0", "--count", Datagrams, "--json", "-");
        IPEndPoint local = await receiver.ReadEndPointAsync("receiving at ");

        ToolResult sent = await SendAsync(isSenderWine, local);
        ToolResult received = await receiver.FinishAsync();

        Assert.Equal((0, 0), (sent.ExitCode, received.ExitCode));
        using JsonDocument report = JsonDocument.Parse(received.Output);
        Assert.Equal(Count, report.RootElement.GetProperty("datagrams").GetInt64());
        Assert.Equal(0, report.RootElement.GetProperty("lost").GetInt64());
    }

    [Fact]
    public async Task Receive_CtrlC_EndsWithItsSummary()
    {
        WineTool.Require();
        await using WineTool receiver = WineTool.Start("receive", "127.0.0.1:0");
        _ = await receiver.ReadEndPointAsync("receiving at ");

        receiver.Interrupt();
        ToolResult received = await receiver.FinishAsync();

        Assert.Equal(0, received.ExitCode);
        Assert.Contains("received 0 datagrams", received.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true, true, "--count", "300")]
    [InlineData(true, false, "-R", "--seconds", "1")]
    [InlineData(true, false, "--bidir", "--seconds", "1")]
    [InlineData(false, true, "-R", "--seconds", "1")]
    [InlineData(false, true, "--bidir", "--seconds", "1")]
    [InlineData(true, true, "--flows", "3", "--seconds", "1")]
    public async Task Test_BetweenTwoEnds_LosesNothing(
        bool isServerWine, bool isClientWine, params string[] arguments)
    {
        WineTool.Require();
        await using WineEnd server = WineEnd.Start(isServerWine, "test", "-s", "127.0.0.1:0", "--once");
        IPEndPoint local = await server.ReadEndPointAsync("waiting for tests at ");

        ToolResult client = await WineEnd.RunAsync(
            isClientWine, ["test", "-c", $"{local}", "--rate", "500", "--json", "-", .. arguments]);
        ToolResult served = await server.FinishAsync();

        Assert.Equal((0, 0), (client.ExitCode, served.ExitCode));
        using JsonDocument report = JsonDocument.Parse(client.Output);
        JsonElement[] directions = [.. report.RootElement.GetProperty("directions").EnumerateArray()];
        Assert.Equal(arguments[0] is "--bidir" ? 2 : 1, directions.Length);
        Assert.All(directions, static one =>
        {
            Assert.True(one.GetProperty("unique").GetInt64() > 0);
            Assert.Equal(0, one.GetProperty("lost").GetInt64());
        });
    }

    [Theory]
    [InlineData("count", "one-by-one")]
    [InlineData("discard", "drain")]
    [InlineData("echo", "adaptive")]
    [InlineData("count", "reader-workers")]
    public async Task Serve_DatagramsOfTheOtherSystem_HandlesAllOfThem(string application, string design)
    {
        WineTool.Require();
        await using WineTool server = WineTool.Start(
            "serve", "127.0.0.1:0", "--app", application, "--design", design, "--threads", "2", "--count", Datagrams,
            "--json", "-");
        IPEndPoint local = await server.ReadEndPointAsync("serving at ");

        ToolResult sent = await SendAsync(isWine: false, local);
        ToolResult served = await server.FinishAsync();

        Assert.Equal((0, 0), (sent.ExitCode, served.ExitCode));
        using JsonDocument report = JsonDocument.Parse(served.Output);
        Assert.True(report.RootElement.GetProperty("datagrams").GetInt64() >= Count);
        Assert.True(report.RootElement.GetProperty("hostUdpReceived").GetInt64() >= Count);
        Assert.All(report.RootElement.GetProperty("threads").EnumerateArray(), static thread =>
        {
            Assert.True(thread.GetProperty("systemThreadId").GetInt32() > 0);
            Assert.True(thread.GetProperty("cpuNanoseconds").GetInt64() >= 0);
            Assert.Matches("^[0-9]", thread.GetProperty("allowedCpuList").GetString());
        });
    }

    [Fact]
    public async Task Serve_Relay_ForwardsAllToTheOtherSystem()
    {
        WineTool.Require();
        await using WineEnd receiver = WineEnd.Start(
            isWine: false, "receive", "127.0.0.1:0", "--count", Datagrams, "--json", "-");
        IPEndPoint target = await receiver.ReadEndPointAsync("receiving at ");
        await using WineTool relay = WineTool.Start(
            "serve", "127.0.0.1:0", "--app", "relay", "--to", $"{target}", "--threads", "1");
        IPEndPoint local = await relay.ReadEndPointAsync("serving at ");

        ToolResult sent = await SendAsync(isWine: true, local);
        ToolResult received = await receiver.FinishAsync();

        Assert.Equal((0, 0), (sent.ExitCode, received.ExitCode));
        using JsonDocument report = JsonDocument.Parse(received.Output);
        Assert.Equal(0, report.RootElement.GetProperty("lost").GetInt64());
    }

    private static Task<ToolResult> SendAsync(bool isWine, IPEndPoint to) =>
        WineEnd.RunAsync(isWine, "send", $"{to}", "--rate", "1k", "--count", Datagrams);
}
