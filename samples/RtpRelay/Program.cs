using System.Runtime.InteropServices;
using Spate;
using Spate.Serving;

// Relays RTP packets to subscribers, without copying: dotnet run -c Release --project samples/RtpRelay [PORT]
//
// 'SUB' from any peer subscribes it for 30 s, and is answered by 'OK'; 'END' takes it back. The first peer that sends
// RTP is the source, until it was silent for 30 s. It listens on loopback only: a relay that is open to strangers must
// make them prove their address first (samples/GameServer does, by a cookie), or it floods the addresses they name.

int port = args.Length > 0 ? int.Parse(args[0]) : 5004;

// One thread has all subscribers: a shard sends by its own socket, and to the peers of its own sessions.
RelayHandler? relay = null;
await using UdpServer server = UdpServer.Start(
    new UdpServerOptions
    {
        LocalEndPoints = [UdpEndPoint.Loopback(port)],
        ThreadCount = 1,
        TickInterval = TimeSpan.FromSeconds(1),
    },
    shard => relay = new RelayHandler(shard));
using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
Console.WriteLine($"Relaying on {server.LocalEndPoints[0]}; Ctrl-C ends it.");
await server.Completion;
StreamCounter stream = relay!.Stream;
Console.WriteLine(
    $"{stream.Packets} packets, {stream.Missing} missing; {relay.Relayed} relayed, {relay.Strays} of strangers");

void Stop(PosixSignalContext signal)
{
    signal.Cancel = true;   // the program ends by itself, with exit code 0
    _ = server.StopAsync();   // relays what is queued
}
