using System.Globalization;
using Spate.Cli;
using Spate.Cli.Output;
using Spate.Measurement.Iperf2;

namespace Spate.CliTests.Iperf2;

/// <summary>Whole tests in which the server sends back: the tool in this process at both ends.</summary>
public sealed class Iperf2ReverseRunTests
{
    [Fact]
    public async Task Run_AgainstAServerThatAllowsIt_ShowsBothWays()
    {
        using Iperf2Server server = Open(isAllowed: true);
        (int exitCode, string output, string serverOutput) = await RunAsync(server);

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
        using Iperf2Server server = Open(isAllowed: false);

        (int exitCode, string output, string serverOutput) = await RunAsync(server);

        Assert.Equal(ExitCode.CouldNotRun, exitCode);
        Assert.StartsWith(
            "spate: nothing came back: spate at the server needs --allow-reverse",
            Lines(output, "nothing came back").Single(),
            StringComparison.Ordinal);
        Assert.EndsWith(
            " asked for -r, which is refused: start the server with --allow-reverse",
            Lines(serverOutput, "asked for").Single(),
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
        Assert.StartsWith($"spate: Port {port} is busy at ", error.ToString(), StringComparison.Ordinal);
        Assert.EndsWith(
            $". It is where -d and -r listen unless -L PORT names another ({DocsAnchor.BusyPort})\n",
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

    private static async Task<(int ExitCode, string Output, string ServerOutput)> RunAsync(Iperf2Server server)
    {
        using var stop = new CancellationTokenSource();
        var serverLines = new List<string>();
        Task serving = Task.Factory.StartNew(
            () => server.Run(new Cli.Iperf2.Iperf2Text(serverLines.Add, 'a'), stop.Token),
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        int listenPort;
        using (UdpSocket free = UdpSocket.Bind(UdpEndPoint.Any(0))) listenPort = free.LocalEndPoint.Port;
        using var output = new StringWriter();
        using var error = new StringWriter();

        int exitCode = CommandLine.Run(
            [
                "iperf2", "-c", "127.0.0.1", "-u", "-r", "-l1000", "-n20000", "-b4m",
                "-p", server.LocalEndPoint.Port.ToString(CultureInfo.InvariantCulture),
                "-L", listenPort.ToString(CultureInfo.InvariantCulture),
            ],
            new Streams { Output = output, Error = error });

        await stop.CancelAsync();
        await serving;
        Assert.Empty(error.ToString());
        return (exitCode, output.ToString(), string.Join('\n', serverLines));
    }
}
