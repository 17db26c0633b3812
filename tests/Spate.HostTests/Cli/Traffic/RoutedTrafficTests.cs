namespace Spate.HostTests.Cli.Traffic;

/// <summary>Traffic of the tool over routes that a test makes.</summary>
public sealed class RoutedTrafficTests
{
    [Theory]
    [InlineData("10.9.9.8:10", 3)]
    [InlineData("127.255.255.255:9", 0)]
    public async Task Send_RefusedByTheRoute_IsNotTakenForAClosedPort(string otherTarget, int exitCode)
    {
        // Nobody answers a broadcast, so all that comes back is of the unreachable route.
        using var network = OwnNetwork.Required();
        network.Namespace.Ip("address add 10.8.8.8/32 dev lo");
        network.Namespace.Ip("route add unreachable 10.9.9.8");
        ToolResult result = await network.RunAsync(
            "send", "10.9.9.8:9", otherTarget, "--count", "10", "--rate", "1k");

        Assert.Equal(exitCode, result.ExitCode);
        Assert.Contains("the system refused", result.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("probably no program listens", result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Receive_MulticastGroup_IsJoined()
    {
        // In a network of the test's own, where the loopback has the route to the group.
        using var network = OwnNetwork.Required();
        network.Namespace.Ip("route add 239.0.0.0/8 dev lo");
        await using RunningTool sender = network.Start(
            "send", "239.1.1.1:5000", "--seconds", "60", "--rate", "1k", "--size", "64");
        ToolResult result = await network.RunAsync("receive", "239.1.1.1:5000", "--count", "5", "--seconds", "60");

        Assert.Equal(0, result.ExitCode);
        Assert.Contains("received 5 datagrams", result.Output, StringComparison.Ordinal);
    }
}
