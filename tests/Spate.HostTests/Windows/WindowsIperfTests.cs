using System.Diagnostics;
using System.Text.Json;
using Spate.HostTests.Cli.Iperf.Iperf2;

namespace Spate.HostTests.Windows;

/// <summary>
/// iperf's protocols with the tool for Windows at one end. Wine's server opens the sockets of all programs, so a
/// namespace of the test's own would not hold them, and the ports are those of the host.
/// </summary>
public sealed class WindowsIperfTests
{
    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, false, "-R")]
    [InlineData(false, true, "-R")]
    [InlineData(true, true, "--bidir")]
    [InlineData(true, false, "-P3")]
    public async Task Iperf3_SpateAtBothEnds_CountsExactly(
        bool isServerWine, bool isClientWine, params string[] arguments)
    {
        WineTool.Require();
        string port = Port();
        await using WineEnd server = WineEnd.Start(
            isServerWine, "iperf3", "-s", "-1", "-B", "127.0.0.1", "-p", port);
        await server.WaitForOutputAsync("Server listening");

        ToolResult client = await WineEnd.RunAsync(
            isClientWine, ["iperf3", "-c", "127.0.0.1", "-p", port, "-u", "-t1", "-l1000", "-J", .. arguments]);
        ToolResult served = await server.FinishAsync();

        Assert.Equal((0, 0), (client.ExitCode, served.ExitCode));
        using JsonDocument report = JsonDocument.Parse(client.Output);
        JsonElement directions = report.RootElement.GetProperty("spate").GetProperty("directions");
        Assert.All(directions.EnumerateArray(), static one =>
        {
            JsonElement account = one.GetProperty("account");
            Assert.True(account.GetProperty("unique").GetInt64() > 0);
            Assert.Equal(0, account.GetProperty("lost").GetInt64());
        });
    }

    [Theory]
    [InlineData]
    [InlineData("-R")]
    [InlineData("-P3")]
    public async Task Iperf3Server_RealClient_IsServed(params string[] arguments)
    {
        WineTool.Require();
        Programs.Require("iperf3", "iperf3");
        string port = Port();
        await using WineTool server = WineTool.Start("iperf3", "-s", "-1", "-B", "127.0.0.1", "-p", port);
        await server.WaitForOutputAsync("Server listening");

        ToolResult client = await ToolProcess.RunProgramAsync(
            ["iperf3", "-c", "127.0.0.1", "-p", port, "-u", "-t1", "-l1000", "-J", .. arguments]);
        ToolResult served = await server.FinishAsync();

        Assert.Equal((0, 0), (client.ExitCode, served.ExitCode));
        AssertPackets(client);
    }

    [Theory]
    [InlineData]
    [InlineData("-R")]
    [InlineData("-P3")]
    public async Task Iperf3Client_RealServer_IsServed(params string[] arguments)
    {
        WineTool.Require();
        Programs.Require("iperf3", "iperf3");
        string port = Port();
        using Process real = Process.Start(ToolProcess.StartInfoOf(
            "iperf3", "-s", "-1", "-B", "127.0.0.1", "-p", port, "--forceflush"))!;
        CancellationToken ended = TestContext.Current.CancellationToken;
        while (await real.StandardOutput.ReadLineAsync(ended) is { } line
            && !line.Contains("listening", StringComparison.Ordinal))
        {
        }

        ToolResult client = await WineTool.RunAsync(
            ["iperf3", "-c", "127.0.0.1", "-p", port, "-u", "-t1", "-l1000", "-J", .. arguments]);
        ToolResult served = await ToolProcess.FinishAsync(real);

        Assert.Equal((0, 0), (client.ExitCode, served.ExitCode));
        AssertPackets(client);
    }

    [Fact]
    public async Task Iperf2Server_RealClient_IsServed()
    {
        WineTool.Require();
        IperfProgram.SkipWithout();
        string port = Port();
        await using WineTool server = WineTool.Start("iperf2", "-s", "-u", "-B", "127.0.0.1", "-p", port);
        await server.WaitForOutputAsync("Server listening");

        string client = await IperfProgram.RunAsync($"-c 127.0.0.1 -u -p {port} -t 1");
        await server.WaitForOutputAsync("0 lost");

        Assert.Contains("Server Report:", client, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Iperf2Client_ServerOfThisSystem_HasItsReport()
    {
        WineTool.Require();
        string port = Port();
        await using WineEnd server = WineEnd.Start(
            isWine: false, "iperf2", "-s", "-u", "-B", "127.0.0.1", "-p", port);
        await server.WaitForOutputAsync("Server listening");

        ToolResult client = await WineTool.RunAsync("iperf2", "-c", "127.0.0.1", "-u", "-p", port, "-t", "1");

        Assert.Equal(0, client.ExitCode);
        Assert.Contains("the server received as many", client.Output, StringComparison.Ordinal);
    }

    private static string Port() => $"{FreePorts.Find(1)[0]}";

    private static void AssertPackets(ToolResult client)
    {
        using JsonDocument report = JsonDocument.Parse(client.Output);
        JsonElement sum = report.RootElement.GetProperty("end").GetProperty("sum");
        Assert.True(sum.GetProperty("packets").GetInt64() > 0);
        Assert.Equal(0, sum.GetProperty("lost_packets").GetInt64());
    }
}
