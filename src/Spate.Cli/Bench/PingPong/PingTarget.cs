using System.Net;
using Spate.Cli.Bench.Servers;

namespace Spate.Cli.Bench.PingPong;

/// <summary>A row of the ping-pong bench.</summary>
/// <param name="RunsOnPool">Whether both ends run on pool threads, so that neither is pinned.</param>
/// <param name="Spins">Whether both ends always use their whole CPU.</param>
internal sealed record PingTarget(
    string Mode,
    bool RunsOnPool,
    Func<int?, BenchServer> OpenServer,
    Func<int, IPEndPoint, PingClient> OpenClient,
    bool Spins = false);
