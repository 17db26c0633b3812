using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Spate.Tests.Diagnostics;
using Spate.Tests.Serving;

namespace Spate.Tests.Hosting;

/// <summary>The samples of hosting and of metrics, as processes; the collector only listens.</summary>
public sealed class HostingSampleTests
{
    [Fact]
    public async Task HostedEcho_EndedBySignal_HasAnsweredAndLogged()
    {
        using RunningSample sample = new("HostedEcho");
        await sample.AskAsync();
        await sample.EndAsync();

        Assert.Contains("1 datagrams handled, 1 sent", await sample.Errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Metrics_EndedBySignal_HasExported()
    {
        using HttpListener collector = new();
        int port = Listen(collector);
        using RunningSample sample = new("Metrics", $"http://127.0.0.1:{port}/v1/metrics");
        await sample.AskAsync();
        Task<HttpListenerContext> export = collector.GetContextAsync();
        Task ended = sample.EndAsync();
        HttpListenerContext request = await export.WaitAsync(ServerCase.Patience, HostCase.Cancellation);
        using MemoryStream body = new();
        await request.Request.InputStream.CopyToAsync(body, HostCase.Cancellation);
        request.Response.Close();
        await ended;

        Assert.Equal("application/x-protobuf", request.Request.ContentType);
        string text = Encoding.Latin1.GetString(body.ToArray());
        foreach (string part in new[] { "Spate", "spate.datagram.count", "network.io.direction", "spate.drop.count" })
            Assert.Contains(part, text, StringComparison.Ordinal);
        Assert.Contains("spate.name", text, StringComparison.Ordinal);
    }

    // The listener cannot choose a free port itself.
    private static int Listen(HttpListener collector)
    {
        using TcpListener free = new(IPAddress.Loopback, 0);
        free.Start();
        int port = ((IPEndPoint)free.LocalEndpoint).Port;
        free.Stop();
        collector.Prefixes.Add($"http://127.0.0.1:{port}/");
        collector.Start();
        return port;
    }

    private sealed class RunningSample : IDisposable
    {
        private readonly Process _process;

        public RunningSample(string name, params string[] more)
        {
            Assert.SkipUnless(OperatingSystem.IsLinux(), "the signal is sent by kill");
            string configuration = new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;
            string file = Path.Combine(
                MetricsDocument.FindTop(), "samples", name, "bin", configuration, "net10.0", $"{name}.dll");
            _process = Process.Start(new ProcessStartInfo("dotnet", [file, "0", .. more])
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
                UseShellExecute = false,
            })!;
            Errors = _process.StandardError.ReadToEndAsync(HostCase.Cancellation);
        }

        public Task<string> Errors { get; }

        /// <summary>Asks where the first line says: "Echoing on 127.0.0.1:40000; ...".</summary>
        public async Task AskAsync()
        {
            string? ready = await _process.StandardOutput.ReadLineAsync(HostCase.Cancellation);
            Assert.StartsWith("Echoing on ", ready, StringComparison.Ordinal);
            using UdpSocket client = UdpSocket.Connect(UdpEndPoint.Parse(ready!.Split(' ', ';')[2]));
            Assert.Equal(1, client.Send([1]).Sent);
            Assert.Equal(ReceiveStatus.Received, client.ReceiveFrom(new byte[16], ServerCase.Patience, out _));
        }

        public async Task EndAsync()
        {
            using (Process kill = Process.Start("kill", [$"{_process.Id}"]))
                await kill.WaitForExitAsync(HostCase.Cancellation);
            await _process.WaitForExitAsync(HostCase.Cancellation);
            Assert.Equal(0, _process.ExitCode);
        }

        public void Dispose()
        {
            if (!_process.HasExited) _process.Kill();
            _process.Dispose();
        }
    }
}
