using System.Diagnostics;
using System.Globalization;
using Spate.TestHelpers.Iperf3;

namespace Spate.HostTests.Cli.Iperf.Iperf3;

/// <summary>The real iperf3 beside what disturbs, and the tool's client before a hostile server.</summary>
public sealed class HostileIperf3Tests
{
    private const int MaxLifeMilliseconds = 400;
    private const int AtOnce = 4;

    private static int KillCount => TestWidth.Of(24, full: 200);

    [Fact]
    public async Task RealClient_BesideIdleConnections_RunsToItsEnd()
    {
        using var server = new RunningIperf3Server();
        HandMadeIperf3Client[] idle =
            [.. Enumerable.Range(0, 100).Select(_ => new HandMadeIperf3Client(server.EndPoint))];

        await RunRealTestAsync(server);

        Array.ForEach(idle, static one => one.Dispose());
    }

    [Fact]
    public async Task RealClients_KilledAtRandomMoments_LeaveTheServerReady()
    {
        Random random = RandomCase.Create();
        int[] lives = [.. Enumerable.Range(0, KillCount).Select(_ => random.Next(MaxLifeMilliseconds))];
        using var server = new RunningIperf3Server(new() { ParallelTests = 64 });
        await RunRealTestAsync(server);
        await Parallel.ForAsync(
            0,
            KillCount,
            new ParallelOptions
            {
                MaxDegreeOfParallelism = AtOnce,
                CancellationToken = TestContext.Current.CancellationToken,
            },
            async (i, cancellation) =>
            {
                string direction = i % 3 == 0 ? "-R" : i % 3 == 1 ? "--bidir" : "-P2";
                using Process client = Start(server, "-t60", "-b1M", "-l64", direction);
                Task gone = client.WaitForExitAsync(cancellation);
                await Task.WhenAny(gone, gone.WaitAsync(TimeSpan.FromMilliseconds(lives[i]), cancellation));
                client.Kill();
                await client.WaitForExitAsync(cancellation);
            });

        await RunRealTestAsync(server);
        foreach (RecordingObserver test in server.Tests)
        {
            await test.Ended.WaitAsync(RunningIperf3Server.Patience, TestContext.Current.CancellationToken);
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"{server.Tests.Count - 2} were killed after their data began");
        Assert.Equal(2, server.Tests.Count(static test => test.Fault is null));
    }

    [Theory]
    [InlineData("-V")]
    [InlineData("-J")]
    [InlineData("--json-stream")]
    public async Task Client_OutputOfAHostileServer_ReachesNoTerminalRaw(string option)
    {
        const string text = "\\u001b[2J\\u001b]0;owned\\u0007\\u009b31mlines\\nof\\u202eanother";
        using var server = new HandMadeIperf3Server(static talking =>
        {
            talking.RunData();
            talking.SendJson(HandMadeIperf3Client.Results(3).Replace(
                "\"streams\"", $"\"server_output_text\":\"{text}\",\"streams\"", StringComparison.Ordinal));
            talking.Send(14);
            talking.AwaitEnd();
        });

        ToolResult result = await Tool.RunAsync(
            "iperf3", "-c", "127.0.0.1", "-p", PortOf(server.EndPoint.Port), "-u", "-k", "3", "-l", "64",
            "--get-server-output", option);

        Assert.Equal(0, result.ExitCode);
        Assert.Contains("another", result.Output, StringComparison.Ordinal);
        Assert.DoesNotContain(result.Output, static one => one is not ('\n' or '\t') && char.IsControl(one));
        Assert.DoesNotContain('\u202e', result.Output);
    }

    private static async Task RunRealTestAsync(RunningIperf3Server server)
    {
        using Process client = Start(server, "-k", "50", "-b", "10M", "-l", "64");
        ToolResult result = await ToolProcess.FinishAsync(client);

        Assert.True(result.ExitCode == 0, result.Output + result.Error);
        Assert.Contains("0/50 (0%)", result.Output, StringComparison.Ordinal);
    }

    private static Process Start(RunningIperf3Server server, params string[] options)
    {
        Programs.Require("iperf3", "iperf3");
        var start = new ProcessStartInfo("iperf3")
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
        };
        foreach (string one in (string[])["-c", "127.0.0.1", "-p", PortOf(server.EndPoint.Port), "-u", .. options])
        {
            start.ArgumentList.Add(one);
        }

        return Process.Start(start)!;
    }

    private static string PortOf(int port) => port.ToString(CultureInfo.InvariantCulture);
}
