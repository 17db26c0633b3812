using System.Net;
using System.Runtime.InteropServices;
using Spate;
using Spate.Serving;

// Answers DNS queries from a small table: dotnet run -c Release --project samples/DnsResponder [PORT]
// Then: dig @127.0.0.1 -p 5300 www.example.test
// It listens on loopback only: a resolver that is open to strangers can be used to reflect traffic at third parties.

int port = args.Length > 0 ? int.Parse(args[0]) : 5300;

// IPv4 addresses. No thread changes the table, so all shards may share it.
Dictionary<string, IPAddress> addresses = new(StringComparer.OrdinalIgnoreCase)
{
    ["example.test"] = IPAddress.Parse("192.0.2.1"),
    ["www.example.test"] = IPAddress.Parse("192.0.2.2"),
    ["mail.example.test"] = IPAddress.Parse("192.0.2.3"),
};

await using UdpServer server = UdpServer.Start(
    new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(port)] },
    shard => new DnsHandler(shard, addresses.GetAlternateLookup<ReadOnlySpan<char>>()));
using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
Console.WriteLine($"Answering DNS on {server.LocalEndPoints[0]} with {server.ThreadCount} threads; Ctrl-C ends it.");
await server.Completion;
UdpServerStatistics statistics = server.GetStatistics();
Console.WriteLine($"{statistics.Handled} handled, {statistics.Threads.Sum(static one => one.RepliesSent)} answered");

void Stop(PosixSignalContext signal)
{
    signal.Cancel = true;   // the program ends by itself, with exit code 0
    _ = server.StopAsync();   // handles what is queued
}
