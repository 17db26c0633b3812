// docs: program
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using Spate;
using Spate.Hosting;
using Spate.Serving;
// end

namespace Snippets;

internal static class ReadmeHost
{
    public static async Task RunAsync(string[] args)
    {
        // docs: program
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
        builder.AddUdpServer("echo", options => options.LocalEndPoints = [UdpEndPoint.Loopback(9999)])
            .AddHandler<HostedHandler>();
        builder.Services.AddHealthChecks().AddUdpServerCheck("echo");
        using MeterProvider metrics = Sdk.CreateMeterProviderBuilder()
            .AddMeter("Spate").AddOtlpExporter().Build();       // to a collector at port 4317 of this host
        await builder.Build().RunAsync();
        // end
    }
}

// docs: program
// A forged source makes two echo servers answer each other without end: see "Echo loops" in docs/measure/serve.md.
internal sealed class HostedHandler : UdpHandler
{
    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram datagram in batch)
        {
            replies.TryForward(datagram, datagram.Peer);    // copies nothing, and always finds room
        }
    }
}
// end
