using System.Diagnostics;
using System.Globalization;

namespace Spate.CliTests.Test;

/// <summary>A receiver that is stopped by a signal in the middle of a test; loopback only, bounded loads.</summary>
public sealed class StoppedServerTests
{
    private const int StopAtInterval = 2;
    private const int ContinueAtInterval = 6;

    [Fact]
    public async Task Client_ServerStoppedMeanwhile_SaysThatTheReceiverWasStopped()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "counters of sockets and threads exist on Linux only");
        await using TestServerProcess server = await TestServerProcess.StartAsync("--once");
        await using RunningTool client = Tool.Start(
            "test", "-c", server.EndPoint, "--seconds", "1", "--rate", "20k", "--size", "1000", "--interval", "0.1",
            "--remote-buffer", "200000", "--no-gso", "--no-gro");
        int intervals = 0;
        string verdict = "";
        while (await client.ReadOutputLineAsync() is { } line)
        {
            if (line.Contains(" sent ", StringComparison.Ordinal) && ++intervals is StopAtInterval) Signal("STOP");
            if (intervals is ContinueAtInterval) Signal("CONT");
            if (line.Contains("of the loss", StringComparison.Ordinal)) verdict = line;
        }

        ToolResult result = await client.FinishAsync();
        TestContext.Current.TestOutputHelper?.WriteLine(verdict);
        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Contains("% of the loss is the receiver, which was stopped for ", verdict, StringComparison.Ordinal);

        // Signals go by kill(1) of the shell, which every system has.
        void Signal(string name)
        {
            using Process kill = Process.Start(
                "sh", ["-c", $"kill -{name} {server.ProcessId.ToString(CultureInfo.InvariantCulture)}"]);
            kill.WaitForExit();
            Assert.Equal(0, kill.ExitCode);
        }
    }
}
