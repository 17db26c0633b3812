using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Spate;
using Spate.Hosting;
using Spate.Serving;

// An echo server in the Generic Host, set up by appsettings.json, with a health check:
// dotnet run -c Release --project samples/HostedEcho [PORT]
// Windows can start it as a service too: docs/build/hosting.md, "As a Windows service".
// It listens on loopback only: an open echo server can be used to reflect traffic at third parties.
// A datagram with a forged source can also make two echo servers answer each other without end. Before you open a port,
// lower the time to live of each answer and bound the answers per peer: docs/measure/serve.md, "Echo loops".

HostApplicationBuilder builder = Host.CreateApplicationBuilder(
    new HostApplicationBuilderSettings { ContentRootPath = AppContext.BaseDirectory });
builder.AddUdpServer("echo", options =>
{
    if (args.Length > 0) options.LocalEndPoints = [UdpEndPoint.Loopback(int.Parse(args[0]))];
}).AddHandler<EchoHandler>();
builder.Services.AddWindowsService(options => options.ServiceName = "HostedEcho");
builder.Services.AddHealthChecks().AddUdpServerCheck("echo", configure: thresholds => thresholds.MaxDropShare = 0.001);
builder.Services.AddSingleton<IHealthCheckPublisher, HealthLog>();

using IHost host = builder.Build();
await host.StartAsync();
UdpServer server = host.Services.GetRequiredService<UdpServers>()["echo"];
Console.WriteLine($"Echoing on {server.LocalEndPoints[0]}; Ctrl-C ends it.");
await host.WaitForShutdownAsync();   // handles what is queued, then logs what was done

internal sealed class EchoHandler : UdpHandler
{
    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram datagram in batch)
        {
            // Forwarding copies nothing and always finds room; the replies leave when this returns.
            replies.TryForward(datagram, datagram.Peer);
        }
    }
}

/// <summary>Logs the health every 30 s, where a web application would map an endpoint.</summary>
internal sealed class HealthLog(ILogger<HealthLog> log) : IHealthCheckPublisher
{
    public Task PublishAsync(HealthReport report, CancellationToken cancellationToken)
    {
        if (!log.IsEnabled(LogLevel.Information)) return Task.CompletedTask;
        foreach ((string name, HealthReportEntry entry) in report.Entries)
            log.LogInformation("{Check}: {Status}: {Description}", name, entry.Status, entry.Description);
        return Task.CompletedTask;
    }
}
