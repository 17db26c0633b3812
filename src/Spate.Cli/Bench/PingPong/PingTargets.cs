using Spate.Cli.Bench.Servers;
using Spate.Serving;

namespace Spate.Cli.Bench.PingPong;

/// <summary>Every row of the ping-pong bench, in the order of the table.</summary>
internal static class PingTargets
{
    public static IReadOnlyList<PingTarget> All { get; } =
    [
        Spate("blocking", UdpServerWait.Blocking),
        Spate("adaptive", UdpServerWait.Adaptive),
        Spate("spinning", UdpServerWait.Spinning),
        new(
            "socket-blocking",
            RunsOnPool: false,
            static cpu => new BlockingSocketServer("bench pong", cpu),
            static (size, server) => new SocketPing(size, server)),
        new(
            "socket-async",
            RunsOnPool: true,
            static _ => new AsyncSocketServer(),
            static (size, server) => new SocketAsyncPing(size, server)),
    ];

    private static PingTarget Spate(string mode, UdpServerWait wait) => new(
        mode,
        RunsOnPool: false,
        cpu => new SpateServer(cpu, wait: wait),
        (size, server) => new SpatePing(wait, size, server),
        Spins: wait == UdpServerWait.Spinning);
}
