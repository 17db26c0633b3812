using System.Text.Json.Serialization;
using Spate.Cli.Bench.Designs;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.PingPong;
using Spate.Cli.Bench.Relay;
using Spate.Cli.Bench.Sessions;
using Spate.Cli.Bench.Sockets;
using Spate.Cli.Bench.Sweep;
using Spate.Cli.Bench.Throughput;

namespace Spate.Cli.Bench;

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
