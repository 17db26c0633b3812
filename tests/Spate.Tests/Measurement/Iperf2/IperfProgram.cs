using System.Diagnostics;
using System.Globalization;

namespace Spate.Tests.Measurement.Iperf2;

/// <summary>The real program iperf, version 2.</summary>
internal static class IperfProgram
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    public static void SkipWithout() => Assert.SkipUnless(
        OperatingSystem.IsLinux() && Environment.GetEnvironmentVariable("PATH")!
            .Split(':').Any(static folder => File.Exists(Path.Combine(folder, "iperf"))),
        "the program iperf (version 2) is needed");

    public static int FreePort(bool isIPv6)
    {
        using UdpSocket free = UdpSocket.Bind(isIPv6 ? UdpEndPoint.IPv6Any(0) : UdpEndPoint.Any(0));
        return free.LocalEndPoint.Port;
    }

    public static Process Start(string arguments) => Process.Start(new ProcessStartInfo("iperf", arguments)
    {
        RedirectStandardOutput = true,
        RedirectStandardError = true,
        UseShellExecute = false,
    })!;

    public static async Task<string> RunAsync(string arguments)
    {
        using var patience = new CancellationTokenSource(Patience);
        using Process iperf = Start(arguments);
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

    // Its output is buffered: the socket shows when it is ready.
    public static async Task WaitForPortAsync(int port)
    {
        string entry = string.Create(CultureInfo.InvariantCulture, $":{port:X4} ");
        using var patience = new CancellationTokenSource(Patience);
        while (true)
        {
            string sockets = await File.ReadAllTextAsync("/proc/net/udp", patience.Token)
                + await File.ReadAllTextAsync("/proc/net/udp6", patience.Token);
            if (sockets.Contains(entry, StringComparison.Ordinal)) return;
        }
    }
}
