using System.Globalization;
using System.Net.NetworkInformation;

namespace Spate.HostTests.Cli.Iperf.Iperf3;

/// <summary>
/// Tests of iperf3's protocol between two ends in a network of their own, since iperf3 cannot choose a port and report
/// it.
/// </summary>
internal static class Iperf3Runs
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    /// <summary>Runs one test to its end.</summary>
    /// <param name="network">Where both ends are.</param>
    /// <param name="pairing">Who is at the ends.</param>
    /// <param name="clientOptions">Options other than -c, -u and -p, separated by spaces; '' is an empty one.</param>
    /// <param name="serverOptions">Options other than -s, -1 and -p.</param>
    public static Task<Iperf3Pair> RunPairAsync(
        this OwnNetwork network, Iperf3Pairing pairing, string clientOptions, string serverOptions) =>
        network.RunPairAsync(pairing, OwnNetwork.TakePort(), clientOptions, serverOptions);

    /// <summary>Runs one test at a port to its end.</summary>
    public static async Task<Iperf3Pair> RunPairAsync(
        this OwnNetwork network, Iperf3Pairing pairing, int port, string clientOptions, string serverOptions)
    {
        await using Iperf3End server = network.StartServer(pairing, port, "-1 " + serverOptions);
        await using Iperf3End client = network.StartClient(pairing, port, clientOptions);
        ToolResult clientResult = await client.Result;
        if (clientResult.ExitCode != 0) await server.StopAsync();

        var pair = new Iperf3Pair(clientResult, await server.Result);
        Assert.True(
            pair.Client.ExitCode == 0 && pair.Server.ExitCode == 0,
            $"{pairing} {clientOptions}\nclient: {pair.Client}\nserver: {pair.Server}");
        return pair;
    }

    /// <summary>Runs one test with documents of both ends.</summary>
    public static Task<Iperf3Pair> RunWithJsonAsync(
        this OwnNetwork network, Iperf3Pairing pairing, string clientOptions) =>
        network.RunPairAsync(pairing, "-J " + clientOptions, "-J");

    /// <summary>Starts a server, and waits until it listens.</summary>
    public static Iperf3End StartServer(this OwnNetwork network, Iperf3Pairing pairing, int port, string options)
    {
        if (pairing is Iperf3Pairing.SpateToReal) Iperf3End.RequireReal();
        string[] words = ["-s", "-p", Text(port), .. Words(options)];
        return network.Enter(() =>
        {
            Iperf3End server = pairing is Iperf3Pairing.SpateToReal
                ? Iperf3End.StartReal(words)
                : Iperf3End.StartSpate(words);
            WaitForServer(port, server.Result);
            return server;
        });
    }

    public static Iperf3End StartClient(this OwnNetwork network, Iperf3Pairing pairing, int port, string options)
    {
        if (pairing is Iperf3Pairing.RealToSpate) Iperf3End.RequireReal();
        string host = Words(options).Contains("-6", StringComparer.Ordinal) ? "::1" : "127.0.0.1";
        string[] words = ["-c", host, "-u", "-p", Text(port), .. Words(options)];
        return network.Enter(() => pairing is Iperf3Pairing.RealToSpate
            ? Iperf3End.StartReal(words)
            : Iperf3End.StartSpate(words));
    }

    /// <summary>Waits until a server listens at a port: a connection to find out would be a client to it.</summary>
    /// <param name="port">The port, in the network of this thread.</param>
    /// <param name="server">Ends when the server does.</param>
    public static void WaitForServer(int port, Task server) => Assert.True(
        SpinWait.SpinUntil(() => IsListening(port) || server.IsCompleted, Patience), "The server does not listen.");

    // A socket bound to the port for a moment, to ask whether it is taken, would let the server's listen(2) fail.
    private static bool IsListening(int port)
    {
        if (!OperatingSystem.IsLinux())
        {
            return IPGlobalProperties.GetIPGlobalProperties().GetActiveTcpListeners()
                .Any(listener => listener.Port == port);
        }

        return IsIn("/proc/thread-self/net/tcp", port) || IsIn("/proc/thread-self/net/tcp6", port);
    }

    // Of this thread's network. Sockets that listen come first, and after many tests the rest is long.
    private static bool IsIn(string table, int port)
    {
        string ending = string.Create(CultureInfo.InvariantCulture, $":{port:X4}");
        return File.ReadLines(table)
            .Skip(1)
            .Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .TakeWhile(static words => words is [_, _, _, "0A", ..])
            .Any(words => words[1].EndsWith(ending, StringComparison.Ordinal));
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);

    private static IEnumerable<string> Words(string options) => options
        .Split(' ', StringSplitOptions.RemoveEmptyEntries)
        .Select(static word => word is "''" ? "" : word);
}
