namespace Spate.HostTests.Cli.Traffic;

/// <summary>The tool where no interface is up, not even the loopback: every datagram is refused.</summary>
public sealed class NoLoopbackTrafficTests
{
    [Fact]
    public async Task Send_EverythingRefused_IsToldAndExitCodeThree()
    {
        using var network = OwnNetwork.Required(loopbackUp: false);
        ToolResult result = await network.RunAsync(
            "send", "127.0.0.1:9", "127.0.0.2:9", "--count", "10");

        Assert.Equal(3, result.ExitCode);
        Assert.Contains(
            "spate: nothing could be sent: the system refused 10 datagrams: no route",
            result.Error,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task FailIf_RunThatCouldNotRun_KeepsItsExitCode()
    {
        using var network = OwnNetwork.Required(loopbackUp: false);
        ToolResult result = await network.RunAsync(
            "send", "127.0.0.1:9", "127.0.0.2:9", "--count", "10", "--fail-if", "refused == 10");

        Assert.Equal(3, result.ExitCode);
        Assert.Equal("spate: check failed: refused == 10: refused is 10", result.ErrorLines[^1]);
    }

    [Fact]
    public async Task Start_LoopbackDown_SaysWhyTheBackendIsSlower()
    {
        // A process of its own, since the backend of a process is chosen once.
        ToolResult result = await ToolProcess.RunInOwnNetworkAsync(
            "exec \"$@\"", "receive", "127.0.0.1:5001", "--seconds", "0.1");

        Assert.Equal(0, result.ExitCode);
        Assert.Contains("backend portable", result.Error, StringComparison.Ordinal);
        Assert.Contains(
            "spate: a slower backend is used: Mmsg is not available", result.Error, StringComparison.Ordinal);
    }
}
