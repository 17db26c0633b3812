using System.CommandLine;
using System.Text.Json.Serialization;
using Spate.Cli.Bench.Designs;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.PingPong;
using Spate.Cli.Bench.Relay;
using Spate.Cli.Bench.Sessions;
using Spate.Cli.Bench.Sockets;
using Spate.Cli.Bench.Sweep;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Bench;

/// <summary>
/// <c>spate bench</c>, the comparison of all ways to move datagrams, with the other benches below it. A new bench is
/// listed here.
/// </summary>
internal static class BenchCommand
{
    public static Command Create(Streams streams) => ThroughputBench.Define().CreateCommand(
        streams,
        new BenchSweep(SweepBench.OfThroughput, "--cpu", "--peers") { RowNames = ThroughputBench.RowNames },
        DrainBench.Define().CreateCommand(streams, new BenchSweep(SweepBench.OfDrain, "--cpu")),
        SessionsBench.Define().CreateCommand(streams),
        SocketsBench.Define().CreateCommand(streams),
        PingPongBench.Define().CreateCommand(streams),
        RelayBench.Define().CreateCommand(streams),
        DesignsBench.Define().CreateCommand(streams));
}

/// <summary>The JSON of the reports.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(BenchReport))]
[JsonSerializable(typeof(DrainReport))]
[JsonSerializable(typeof(SessionsReport))]
[JsonSerializable(typeof(SocketsReport))]
[JsonSerializable(typeof(PingPongReport))]
[JsonSerializable(typeof(RelayReport))]
[JsonSerializable(typeof(DesignsReport))]
[JsonSerializable(typeof(SweepReport))]
internal sealed partial class BenchJson : JsonSerializerContext;
