using System.Globalization;
using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;

namespace Spate.HostTests.Cli.Iperf3;

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

    // The system lists all connections, and after many tests that list is long. Outside of Windows, a
    // socket that may share its address, as that of servers may, cannot be bound to it only where one listens.
    private static bool IsListening(int port)
    {
        if (OperatingSystem.IsWindows())
        {
            return IPGlobalProperties.GetIPGlobalProperties().GetActiveTcpListeners()
                .Any(listener => listener.Port == port);
        }

        using var socket = new Socket(AddressFamily.InterNetworkV6, SocketType.Stream, ProtocolType.Tcp);
        socket.DualMode = true;
        try
        {
            socket.Bind(new IPEndPoint(IPAddress.IPv6Any, port));
            return false;
        }
        catch (SocketException fault) when (fault.SocketErrorCode == SocketError.AddressAlreadyInUse)
        {
            return true;
        }
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);

    private static IEnumerable<string> Words(string options) => options
        .Split(' ', StringSplitOptions.RemoveEmptyEntries)
        .Select(static word => word is "''" ? "" : word);
}
