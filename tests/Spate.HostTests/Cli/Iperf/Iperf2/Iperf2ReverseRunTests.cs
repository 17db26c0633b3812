using System.Globalization;
using Spate.Cli;
using Spate.Cli.Iperf.Iperf2.Ends;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;

namespace Spate.HostTests.Cli.Iperf.Iperf2;

/// <summary>Whole tests in which the server sends back: the tool in this process at both ends.</summary>
public sealed class Iperf2ReverseRunTests
{
    [Fact]
    public async Task Run_AgainstAServerThatAllowsIt_ShowsBothWays()
    {
        (int exitCode, string output, string serverOutput) = await RunAsync(isAllowed: true);

        Assert.Equal(ExitCode.Done, exitCode);
        string[] spate = [.. Lines(output, " Spate: ")];
        Assert.Equal(2, spate.Length);
        Assert.Equal("[  1] Spate: 20 datagrams sent; the server received as many", spate[0]);
        Assert.Equal("[  2] Spate: 20 of 20 datagrams arrived, 0 lost, 0 duplicated, 0 reordered", spate[1]);
        Assert.StartsWith("[  2]", Assert.Single(Lines(output, "(reverse)")), StringComparison.Ordinal);
        Assert.StartsWith("[  2]", Assert.Single(Lines(serverOutput, "(reverse)")), StringComparison.Ordinal);
        Assert.Contains("[  2] Sent 20 datagrams", serverOutput, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_AgainstAServerThatRefuses_SaysThatNothingCameBack()
    {
        (int exitCode, string output, string serverOutput) = await RunAsync(isAllowed: false);

        Assert.Equal(ExitCode.CouldNotRun, exitCode);
        Assert.StartsWith(
            "spate: no datagram came back: spate at the server needs --allow-reverse",
            Lines(output, "no datagram came back").Single(),
            StringComparison.Ordinal);
        Assert.EndsWith(
            " requested -r, which is refused: start the server with --allow-reverse",
            Lines(serverOutput, "requested").Single(),
            StringComparison.Ordinal);
        Assert.Empty(Lines(output + serverOutput, "(reverse)"));
    }

    [Fact]
    public void Run_OnTheHostOfTheServer_NamesTheOptionForAnotherPort()
    {
        using Iperf2Server server = Open(isAllowed: true);
        string port = server.LocalEndPoint.Port.ToString(CultureInfo.InvariantCulture);
        using var output = new StringWriter();
        using var error = new StringWriter();

        int exitCode = CommandLine.Run(
            ["iperf2", "-c", "127.0.0.1", "-u", "-d", "-p", port], new Streams { Output = output, Error = error });

        Assert.Equal(ExitCode.CouldNotRun, exitCode);
        Assert.StartsWith($"spate: Port {port} is in use at ", error.ToString(), StringComparison.Ordinal);
        Assert.EndsWith(
            $". -d and -r listen there unless -L sets another port ({DocsAnchor.BusyPort})\n",
            error.ToString(),
            StringComparison.Ordinal);
    }

    private static IEnumerable<string> Lines(string text, string part) =>
        text.Split('\n').Where(line => line.Contains(part, StringComparison.Ordinal));

    private static Iperf2Server Open(bool isAllowed) => Iperf2Server.Open(new Iperf2ServerOptions
    {
        Local = UdpEndPoint.Loopback(0),
        AllowReverse = isAllowed,
    });

    // -L takes no port 0, so both ends have ports that no other test has.
    private static async Task<(int ExitCode, string Output, string ServerOutput)> RunAsync(bool isAllowed)
    {
        using var network = new OwnNetwork();
        string port = $"{OwnNetwork.TakePort()}";
        string backPort = $"{OwnNetwork.TakePort()}";
        string[] allowed = isAllowed ? ["--allow-reverse"] : [];
        await using RunningTool server = network.Enter(
            () => Tool.Start(["iperf2", "-s", "-u", "-p", port, .. allowed]));
        string listening = await server.ReadOutputLineWithAsync($"listening on UDP port {port}");
        await using RunningTool sender = network.Enter(() => Tool.Start(
            "iperf2", "-c", "127.0.0.1", "-u", "-r", "-l1000", "-n20000", "-b4m", "-p", port, "-L", backPort));
        ToolResult client = await sender.FinishAsync();
        server.Stop();
        ToolResult served = await server.FinishAsync();

        Assert.Empty(client.Error);
        Assert.Empty(served.Error);
        return (client.ExitCode, client.Output, $"{listening}\n{served.Output}");
    }
}
