using System.Runtime.InteropServices;
using Spate;
using Spate.Serving;

// Answers every datagram from code that awaits: dotnet run -c Release --project samples/Channel [PORT]
// It listens on loopback only: an open echo server can be used to reflect traffic at third parties.
// A datagram with a forged source can also make two echo servers answer each other without end. Before you open a port,
// lower the time to live of each answer and bound the answers per peer: docs/measure/serve.md, "Echo loops".

int port = args.Length > 0 ? int.Parse(args[0]) : 9999;
UdpChannelHandler? handler = null;
await using UdpServer server = UdpServer.Start(
    new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(port)], ThreadCount = 1 },
    shard => handler = new UdpChannelHandler(shard));
using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
Console.WriteLine($"Answering on {server.LocalEndPoints[0]}; Ctrl-C ends it.");

long answered = 0;
await foreach (UdpChannelDatagram datagram in handler!.Reader.ReadAllAsync())
{
    using (datagram)
    {
        await Task.Yield();   // whatever takes its time: a database, another service
        if (datagram.TryReply(datagram.Payload.Span)) answered++;
    }
}

Console.WriteLine($"{handler.HandedOver} handed over, {answered} answered, {handler.DroppedFull} dropped");

void Stop(PosixSignalContext signal)
{
    signal.Cancel = true;   // the program ends by itself, with exit code 0
    _ = server.StopAsync(TimeSpan.FromSeconds(2));   // ends the channel, and so the loop above
}
