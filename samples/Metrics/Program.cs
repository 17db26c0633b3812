using System.Runtime.InteropServices;
using OpenTelemetry;
using OpenTelemetry.Exporter;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using Spate;
using Spate.Serving;

// Exports the metrics of a server by OTLP, to a collector on this host unless another one is named:
// dotnet run -c Release --project samples/Metrics [PORT] [COLLECTOR], COLLECTOR like http://127.0.0.1:4318/v1/metrics
// It listens on loopback only: an open echo server can be used to reflect traffic at third parties.
// A datagram with a forged source can also make two echo servers answer each other without end. Before you open a port,
// lower the time to live of each answer and bound the answers per peer: docs/measure/serve.md, "Echo loops".

int port = args.Length > 0 ? int.Parse(args[0]) : 9999;
Uri collector = new(args.Length > 1 ? args[1] : "http://127.0.0.1:4318/v1/metrics");
TaskCompletionSource ended = new();
using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, End);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, End);

using MeterProvider metrics = Sdk.CreateMeterProviderBuilder()
    .ConfigureResource(resource => resource.AddService("echo"))
    .AddMeter("Spate")
    .AddOtlpExporter((exporter, reader) =>
    {
        exporter.Endpoint = collector;
        exporter.Protocol = OtlpExportProtocol.HttpProtobuf;
        reader.PeriodicExportingMetricReaderOptions.ExportIntervalMilliseconds = 5000;
    })
    .Build();

// The name is the attribute spate.name of all that this server counts.
await using UdpServer server = UdpServer.Start(
    new UdpServerOptions { Name = "echo", LocalEndPoints = [UdpEndPoint.Loopback(port)] },
    _ => new EchoHandler());
Console.WriteLine($"Echoing on {server.LocalEndPoints[0]}; Ctrl-C ends it. Metrics go to {collector}.");
await Task.WhenAny(ended.Task, server.Completion);
await server.StopAsync(TimeSpan.FromSeconds(2));   // disposing the provider exports once more

void End(PosixSignalContext signal)
{
    signal.Cancel = true;
    ended.TrySetResult();
}

internal sealed class EchoHandler : UdpHandler
{
    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram datagram in batch) replies.TryForward(datagram, datagram.Peer);
    }
}
