using System.Net;
using System.Net.Sockets;
using Spate.Cli.Host;
using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;

namespace Spate.CliTests.Host;

/// <summary>What <c>--cpu</c> says on stderr; loopback only, a few datagrams.</summary>
public sealed class CpuTextTests
{
    [Fact]
    public void Explain_SeveralThreads_SaysEachReasonOnceWithTheWarnings()
    {
        var plan = new CpuPlan
        {
            Threads = [new(5, "near"), new(4, "near"), new(0, "far")],
            Warnings = ["CPU 0 also handles interrupts"],
        };

        Assert.Equal(
            "--cpu auto: 2 threads on CPUs 5,4: near\n"
            + "--cpu auto: 1 thread on CPU 0: far\n"
            + "warning: --cpu: CPU 0 also handles interrupts",
            string.Join('\n', CpuText.Explain(plan)));
    }

    [Fact]
    public void Explain_ManyThreads_FitALine()
    {
        PlannedCpu[] threads = [.. Enumerable.Range(0, 256).Select(static cpu => new PlannedCpu(cpu, "near"))];

        Assert.Equal(
            "--cpu auto: 256 threads on CPUs 0-255: near",
            Assert.Single(CpuText.Explain(new CpuPlan { Threads = threads, Warnings = [] })));
    }

    [Fact]
    public async Task Send_AutoToTheLoopback_ExplainsItsCpuOnStderr()
    {
        using Socket plain = Bind();

        ToolResult result = await SendAsync(plain, "auto");

        Assert.Equal(0, result.ExitCode);
        Assert.Contains("spate: --cpu auto: 1 thread on CPU ", result.Error, StringComparison.Ordinal);
        Assert.Contains(": the loopback has no interrupts; ", result.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("--cpu", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Receive_Auto_ExplainsItsCpuOnStderr()
    {
        ToolResult result = await Tool.RunAsync(
            "receive", "127.0.0.1:0", "--cpu", "auto", "--seconds", "0.05", "--interval", "0");

        Assert.Equal(0, result.ExitCode);
        Assert.Contains(
            $"spate: --cpu auto: 1 thread on CPU {ReceiverCpu()}: the loopback has no interrupts; ",
            result.Error,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Send_WithoutCpu_SaysNothingOfCpus()
    {
        using Socket plain = Bind();

        ToolResult result = await Tool.RunAsync(
            "send", plain.LocalEndPoint!.ToString()!, "--count", "5", "--size", "64");

        Assert.DoesNotContain("--cpu", result.Error, StringComparison.Ordinal);
    }

    private static Task<ToolResult> SendAsync(Socket plain, string cpus) => Tool.RunAsync(
        "send", plain.LocalEndPoint!.ToString()!, "--count", "5", "--size", "64", "--cpu", cpus);

    private static int ReceiverCpu() => CpuPlan.Make(
        CpuFacts.Read(),
        new CpuPlanOptions { ThreadCount = 1, IsReceiver = true, IsLoopback = true }).Threads[0].Number;

    private static Socket Bind()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }
}
