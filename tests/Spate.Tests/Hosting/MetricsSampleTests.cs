using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Text;
using Spate.Tests.Diagnostics;
using Spate.Tests.Serving;

namespace Spate.Tests.Hosting;

/// <summary>The sample that exports metrics, with a collector that only listens.</summary>
public sealed class MetricsSampleTests
{
    [Fact]
    public async Task Sample_EndedBySignal_HasExportedItsMetrics()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the signal is sent by kill");
        using HttpListener collector = new();
        int port = Listen(collector);
        using Process sample = Start(port);
        string ready = (await sample.StandardOutput.ReadLineAsync(HostCase.Cancellation))!;
        UdpEndPoint server = UdpEndPoint.Parse(ready.Split(' ', ';')[2]);
        using (UdpSocket client = UdpSocket.Connect(server))
        {
            client.Send([1]);
            Assert.Equal(ReceiveStatus.Received, client.ReceiveFrom(new byte[16], ServerCase.Patience, out _));
        }

        Task<HttpListenerContext> export = collector.GetContextAsync();
        using (Process kill = Process.Start("kill", sample.Id.ToString(CultureInfo.InvariantCulture)))
            await kill.WaitForExitAsync(HostCase.Cancellation);
        HttpListenerContext request = await export.WaitAsync(ServerCase.Patience, HostCase.Cancellation);
        using MemoryStream body = new();
        await request.Request.InputStream.CopyToAsync(body, HostCase.Cancellation);
        request.Response.Close();
        await sample.WaitForExitAsync(HostCase.Cancellation);

        Assert.Equal(0, sample.ExitCode);
        Assert.Equal("application/x-protobuf", request.Request.ContentType);
        string text = Encoding.Latin1.GetString(body.ToArray());
        foreach (string part in new[] { "Spate", "spate.datagram.count", "network.io.direction", "spate.drop.count" })
            Assert.Contains(part, text, StringComparison.Ordinal);
        Assert.Contains("spate.name", text, StringComparison.Ordinal);
    }

    // The listener cannot choose a free port itself.
    private static int Listen(HttpListener collector)
    {
        for (int port = 42_000 + Environment.ProcessId % 5000; ; port++)
        {
            collector.Prefixes.Add($"http://127.0.0.1:{port}/");
            try
            {
                collector.Start();
                return port;
            }
            catch (HttpListenerException) when (port < 60_000)
            {
                collector.Prefixes.Clear();
            }
        }
    }

    private static Process Start(int port)
    {
        string output = Path.Combine(
            MetricsDocument.FindTop(), "samples/Metrics/bin", new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name);
        return Process.Start(new ProcessStartInfo("dotnet")
        {
            RedirectStandardOutput = true,
            UseShellExecute = false,
            ArgumentList =
            {
                Path.Combine(output, "net10.0/Metrics.dll"), "0", $"http://127.0.0.1:{port}/v1/metrics",
            },
        })!;
    }
}
