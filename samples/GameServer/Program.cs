using System.Runtime.InteropServices;
using Spate;
using Spate.Serving;

// A game's server: players join by a cookie, and get the state of the world 20 times a second.
// dotnet run -c Release --project samples/GameServer [PORT]
//
// client                          server
// 'J', 15 more bytes        ->    'C', cookie of 8 bytes: only the owner of the address reads it; nothing is kept yet
// 'K', cookie               ->    'W', id of 4 bytes: the player has a session from now on
// 'M', dx, dy (-128..127)   ->    moves the player
// 'L'                       ->    the player leaves
//                           <-    'S', shard, tick of 4 bytes, count, then id (4), x (2), y (2) of each player
//                           <-    'E': the server ends
// Numbers are big endian. No answer to a stranger is longer than the question, so nobody is flooded by forged ones.

int port = args.Length > 0 ? int.Parse(args[0]) : 7777;
TaskCompletionSource stopped = new();
using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);

// Several threads need SO_REUSEPORT, and the kernel then keeps each peer on one of them: a session has one owner.
World world = new(OperatingSystem.IsLinux() ? Math.Min(Environment.ProcessorCount, 4) : 1);
await using UdpServer server = UdpServer.Start(
    new UdpServerOptions
    {
        LocalEndPoints = [UdpEndPoint.Loopback(port)],
        ThreadCount = world.ShardCount,
        TickInterval = TimeSpan.FromMilliseconds(50),
        OnFault = static fault => Console.Error.WriteLine($"{fault.Count} of {fault.Exception.GetType().Name}"),
    },
    shard => new GameHandler(shard, world));
Console.WriteLine($"Playing on {server.LocalEndPoints[0]} with {server.ThreadCount} threads; Ctrl-C ends it.");
await Task.WhenAny(stopped.Task, server.Completion);
UdpServerStatistics statistics = await server.StopAsync(TimeSpan.FromSeconds(2));   // players are told: OnStop
Console.WriteLine($"{world.JoinedCount} joined, {statistics.Handled} datagrams handled");

void Stop(PosixSignalContext signal)
{
    signal.Cancel = true;   // the program ends by itself, with exit code 0
    stopped.TrySetResult();
}
