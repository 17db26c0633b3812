using System.Globalization;

namespace Spate.CliTests.Iperf3.Runs;

/// <summary>A test between two ends on the loopback, which have both ended well.</summary>
/// <param name="Client">What the client left behind.</param>
/// <param name="Server">What the server left behind.</param>
internal sealed record Iperf3Pair(ToolResult Client, ToolResult Server)
{
    private const int MaxTries = 5;

    public Iperf3Document ClientDocument => Iperf3Document.Parse(Client.Output);

    public Iperf3Document ServerDocument => Iperf3Document.Parse(Server.Output);

    /// <summary>Runs one test to its end.</summary>
    /// <param name="pairing">Who is at the ends.</param>
    /// <param name="clientOptions">Options beside -c, -u and -p, separated by spaces; '' is an empty one.</param>
    /// <param name="serverOptions">Options beside -s, -1 and -p.</param>
    public static async Task<Iperf3Pair> RunAsync(Iperf3Pairing pairing, string clientOptions, string serverOptions)
    {
        // A program that another test starts holds copies of all sockets of this process until it is loaded, and with
        // them a port that is being tried.
        Iperf3Pair pair = await RunOnceAsync(pairing, clientOptions, serverOptions);
        for (int i = 1; i < MaxTries && pair.Server.Error.Contains("is busy at", StringComparison.Ordinal); i++)
        {
            pair = await RunOnceAsync(pairing, clientOptions, serverOptions);
        }

        Assert.True(
            pair.Client.ExitCode == 0 && pair.Server.ExitCode == 0,
            $"{pairing} {clientOptions}\nclient: {pair.Client}\nserver: {pair.Server}");
        return pair;
    }

    private static async Task<Iperf3Pair> RunOnceAsync(
        Iperf3Pairing pairing, string clientOptions, string serverOptions)
    {
        int port = Iperf3Port.Take();
        await using Iperf3End server = StartServer(pairing, port, "-1 " + serverOptions);
        Iperf3Port.WaitForServer(port, server.Result);
        await using Iperf3End client = StartClient(pairing, port, clientOptions);
        ToolResult clientResult = await client.Result;
        if (clientResult.ExitCode != 0) await server.StopAsync();

        return new Iperf3Pair(clientResult, await server.Result);
    }

    /// <summary>Runs one test with documents of both ends.</summary>
    public static Task<Iperf3Pair> RunWithJsonAsync(Iperf3Pairing pairing, string clientOptions) =>
        RunAsync(pairing, "-J " + clientOptions, "-J");

    public static Iperf3End StartServer(Iperf3Pairing pairing, int port, string options)
    {
        string[] words = ["-s", "-p", Text(port), .. Words(options)];
        return pairing is Iperf3Pairing.SpateToReal ? Iperf3End.StartReal(words) : Iperf3End.StartSpate(words);
    }

    public static Iperf3End StartClient(Iperf3Pairing pairing, int port, string options)
    {
        string host = Words(options).Contains("-6", StringComparer.Ordinal) ? "::1" : "127.0.0.1";
        string[] words = ["-c", host, "-u", "-p", Text(port), .. Words(options)];
        return pairing is Iperf3Pairing.RealToSpate ? Iperf3End.StartReal(words) : Iperf3End.StartSpate(words);
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);

    private static IEnumerable<string> Words(string options) => options
        .Split(' ', StringSplitOptions.RemoveEmptyEntries)
        .Select(static word => word is "''" ? "" : word);
}
