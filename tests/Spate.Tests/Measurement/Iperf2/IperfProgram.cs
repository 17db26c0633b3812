using System.Diagnostics;
using System.Globalization;
using Spate.Tests.Namespaces;

namespace Spate.Tests.Measurement.Iperf2;

/// <summary>
/// The real program iperf, version 2. Its server cannot be told to choose a port and to say which, so it runs in a
/// network namespace of the test's own.
/// </summary>
internal static class IperfProgram
{
    /// <summary>The port of the server, and where a client listens.</summary>
    public const int Port = 5001;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    public static void SkipWithout() => Assert.SkipUnless(
        OperatingSystem.IsLinux() && Environment.GetEnvironmentVariable("PATH")!
            .Split(':').Any(static folder => File.Exists(Path.Combine(folder, "iperf"))),
        "the program iperf (version 2) is needed");

    /// <summary>Starts the server in a namespace, and waits until it listens at <see cref="Port"/>.</summary>
    public static Process StartServer(NetworkNamespace network, string more = "") => network.Enter(() =>
    {
        Process server = Start($"-s -u -p {Port}{more}");
        WaitForPort(server);
        return server;
    });

    /// <summary>Runs a client, in a namespace if one is named.</summary>
    public static async Task<string> RunAsync(string arguments, NetworkNamespace? network = null)
    {
        using var patience = new CancellationTokenSource(Patience);
        using Process iperf = network is null ? Start(arguments) : network.Enter(() => Start(arguments));
        try
        {
            Task<string> error = iperf.StandardError.ReadToEndAsync(patience.Token);
            string output = await iperf.StandardOutput.ReadToEndAsync(patience.Token);
            await iperf.WaitForExitAsync(patience.Token);
            return output + await error;
        }
        finally
        {
            if (!iperf.HasExited) iperf.Kill();
        }
    }

    private static Process Start(string arguments) => Process.Start(new ProcessStartInfo("iperf", arguments)
    {
        RedirectStandardOutput = true,
        RedirectStandardError = true,
        UseShellExecute = false,
    })!;

    // Its output is buffered: the socket shows when it is ready.
    private static void WaitForPort(Process server)
    {
        string entry = string.Create(CultureInfo.InvariantCulture, $":{Port:X4} ");
        bool isThere = SpinWait.SpinUntil(
            () => server.HasExited || ((string[])["udp", "udp6"]).Any(name => File
                .ReadAllText($"/proc/thread-self/net/{name}")
                .Contains(entry, StringComparison.Ordinal)),
            Patience);
        Assert.True(isThere && !server.HasExited, "iperf does not listen.");
    }
}
