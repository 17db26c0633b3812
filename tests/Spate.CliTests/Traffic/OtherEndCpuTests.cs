using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Spate.CliTests.Test;
using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;

namespace Spate.CliTests.Traffic;

/// <summary>The CPUs of an end whose other end runs on this machine.</summary>
[ProcessWide("an end looks where threads of the other end's process are pinned, and here that is its own process")]
public sealed class OtherEndCpuTests
{
    [Fact]
    public async Task Send_NamedCpuOfTheReceiver_IsWarnedOf()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the other end is found through /proc, which is Linux");
        using var plain = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        plain.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        int cpu = CpuPlan.Make(
            CpuFacts.Read(),
            new CpuPlanOptions { ThreadCount = 1, IsReceiver = true, IsLoopback = true }).Threads[0].Number;

        ToolResult result = await Tool.RunAsync(
            "send", plain.LocalEndPoint!.ToString()!, "--count", "5", "--size", "64", "--cpu", $"{cpu}");

        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Contains("spate: warning: --cpu: the receiver ", result.Error, StringComparison.Ordinal);
        Assert.Contains($" on CPU {cpu} too: both ends share its time", result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Server_CpuAutomatic_PlacesEveryFlowWhenTheTestBegins()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.ProcessorCount > 1, "two CPUs of Linux are needed");
        await using RunningTestServer server = await RunningTestServer.StartAsync("--once", "--cpu", "auto");

        ToolResult result = await Tool.RunAsync(
            "test", "-c", server.EndPoint, "--count", "100", "--rate", "1k", "--flows", "2", "--json", "-");

        Assert.True(result.ExitCode == 0, result.Error);
        int[] cpus = CpusOf(result, "remote", "received");
        Assert.Equal(2, cpus.Distinct().Count());
        string log = (await server.FinishAsync()).Error;
        Assert.All(cpus, cpu => Assert.Matches($"spate: --cpu auto: .* on CPUs? [0-9,]*{cpu}[0-9,]*: ", log));
    }

    [Fact]
    public async Task Client_ReverseWithAutomaticCpus_KeepsAwayFromTheServer()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.ProcessorCount > 1, "two CPUs of Linux are needed");
        await using RunningTestServer server = await RunningTestServer.StartAsync("--once");
        string[] automatic = ["--cpu", "auto", "--remote-cpu", "auto"];

        ToolResult result = await Tool.RunAsync(
            ["test", "-c", server.EndPoint, "-R", "--count", "100", "--rate", "1k", "--json", "-", .. automatic]);

        Assert.True(result.ExitCode == 0, result.Error);
        Assert.NotEqual(
            Assert.Single(CpusOf(result, "local", "received")), Assert.Single(CpusOf(result, "remote", "sent")));
    }

    private static int[] CpusOf(ToolResult result, string end, string way)
    {
        using var report = JsonDocument.Parse(result.Output);
        return
        [
            .. report.RootElement.GetProperty(end).GetProperty(way).GetProperty("threads").EnumerateArray()
                .Select(static thread => thread.GetProperty("cpu").GetInt32()),
        ];
    }
}
