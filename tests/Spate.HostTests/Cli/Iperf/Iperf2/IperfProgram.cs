using System.Diagnostics;
using System.Globalization;

namespace Spate.HostTests.Cli.Iperf.Iperf2;

/// <summary>The real program iperf, version 2.</summary>
internal static class IperfProgram
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    public static void SkipWithout()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "what listens is read from Linux's /proc");
        Programs.Require("iperf", "iperf");
    }

    /// <summary>Starts the server in a network, and waits until it listens at a port.</summary>
    public static Process StartServer(OwnNetwork network, int port, string more = "") => network.Enter(() =>
    {
        Process server = Start($"-s -u -p {port}{more}");
        WaitForPort(server, port);
        return server;
    });

    /// <summary>Runs a client, in a network if one is given.</summary>
    public static async Task<string> RunAsync(string arguments, OwnNetwork? network = null)
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
    private static void WaitForPort(Process server, int port)
    {
        string entry = string.Create(CultureInfo.InvariantCulture, $":{port:X4} ");
        bool isThere = SpinWait.SpinUntil(
            () => server.HasExited || ((string[])["udp", "udp6"]).Any(name => File
                .ReadAllText($"/proc/thread-self/net/{name}")
                .Contains(entry, StringComparison.Ordinal)),
            Patience);
        Assert.True(isThere && !server.HasExited, "iperf does not listen.");
    }
}
