using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Spate.CliTests.Samples;

/// <summary>The samples of hosting and of metrics; the collector only listens.</summary>
public sealed class HostingSampleTests
{
    [Fact]
    public async Task HostedEcho_EndedBySignal_HasAnsweredAndLogged()
    {
        TestWidth.SkipUnlessLong(RunningSample.WholeProgram);
        await using RunningSample sample = await RunningSample.StartAsync("HostedEcho");
        await AskAsync(sample);

        ToolResult result = await sample.FinishAsync();

        Assert.Matches("[1-9][0-9]* given to handlers, .* kernel, [1-9][0-9]* sent", result.Error);
    }

    [Fact]
    public async Task Metrics_EndedBySignal_HasExported()
    {
        TestWidth.SkipUnlessLong(RunningSample.WholeProgram);
        using HttpListener collector = new();
        int port = Listen(collector);
        await using RunningSample sample = await RunningSample.StartAsync(
            "Metrics", $"http://127.0.0.1:{port}/v1/metrics");
        await AskAsync(sample);
        Task<HttpListenerContext> export = collector.GetContextAsync();
        Task<string> ended = sample.EndAsync();
        await Task.WhenAny(export, ended);
        Assert.True(export.IsCompleted, "It ended without exporting.");
        HttpListenerContext request = await export;
        using MemoryStream body = new();
        await request.Request.InputStream.CopyToAsync(body, TestContext.Current.CancellationToken);
        request.Response.Close();
        await ended;

        Assert.Equal("application/x-protobuf", request.Request.ContentType);
        string text = Encoding.Latin1.GetString(body.ToArray());
        foreach (string part in new[] { "Spate", "spate.datagram.count", "network.io.direction", "spate.drop.count" })
            Assert.Contains(part, text, StringComparison.Ordinal);
        Assert.Contains("spate.name", text, StringComparison.Ordinal);
    }

    private static async Task AskAsync(RunningSample sample)
    {
        using var client = new SampleClient(sample.EndPoint);
        await client.AskAsync([1], answer => answer is [1]);
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
}
