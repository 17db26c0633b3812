using System.Runtime.InteropServices;
using Spate;
using Spate.Serving;

// A game's server: players join by a cookie, and get the state of the world 20 times a second.
// dotnet run -c Release --project samples/GameServer [PORT]
//
// client                          server
// 'J', 15 more bytes        ->    'C', cookie of 8 bytes: only the owner of the address reads it; nothing is kept yet
// 'K', cookie               ->    'W', id of 4 bytes: the player has a session until 30 s of silence
// 'M', dx, dy (-128..127)   ->    moves the player
//                           <-    'S', tick of 4 bytes, count, then id (4), x (2), y (2) of each player
//                           <-    'E': the server ends
// Numbers are big endian. No answer to a stranger is longer than the question, so nobody is flooded by forged ones.

int port = args.Length > 0 ? int.Parse(args[0]) : 7777;
GameHandler? game = null;   // one thread has the whole world, so that nothing in it needs a lock
await using UdpServer server = UdpServer.Start(
    new UdpServerOptions
    {
        LocalEndPoints = [UdpEndPoint.Loopback(port)],
        ThreadCount = 1,
        TickInterval = TimeSpan.FromMilliseconds(50),
    },
    shard => game = new GameHandler(shard));
using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
Console.WriteLine($"Playing on {server.LocalEndPoints[0]}; Ctrl-C ends it.");
await server.Completion;
Console.WriteLine($"{game!.JoinedCount} joined, {server.GetStatistics().Handled} datagrams handled");

void Stop(PosixSignalContext signal)
{
    signal.Cancel = true;   // the program ends by itself, with exit code 0
    _ = server.StopAsync();   // tells the players: OnStop
}
