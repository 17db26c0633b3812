using System.Runtime.InteropServices;
using Spate;
using Spate.Serving;
using StatsdCollector;

// Adds up StatsD metrics: dotnet run -c Release --project samples/StatsdCollector [PORT] [SECONDS]
// Then: printf 'requests:1|c' > /dev/udp/127.0.0.1/8125
// Or, with acknowledgements: dotnet run -c Release --project samples/Clients statsd 8125 1000
// The server's thread only hands datagrams over. Code that awaits reads them from a bounded channel, and what finds the
// channel full is dropped and counted: a slow reader must not make the kernel drop datagrams that nobody counts.

int port = args.Length > 0 ? int.Parse(args[0]) : 8125;
TimeSpan interval = TimeSpan.FromSeconds(args.Length > 1 ? int.Parse(args[1]) : 10);
UdpChannelHandler? handler = null;
await using UdpServer server = UdpServer.Start(
    new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(port)], ThreadCount = 1 },
    shard => handler = new UdpChannelHandler(shard, new UdpChannelHandlerOptions { Capacity = 8192 }));
using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
Console.WriteLine($"Collecting on {server.LocalEndPoints[0]}, every {interval.TotalSeconds} s; Ctrl-C ends it.");

MetricTable metrics = new();
await using (Timer timer = new(_ => Print(), state: null, interval, interval))
{
    await new Collector(handler!, metrics).RunAsync();
}

Print();

void Print() => Console.Write(metrics.TakeText(handler!.DroppedFull));

void Stop(PosixSignalContext signal)
{
    signal.Cancel = true;
    _ = server.StopAsync();   // ends the channel, and so the collector
}
