using System.Text.Json.Serialization;
using Spate.Measurement.Bench.Designs;
using Spate.Measurement.Bench.Drain;
using Spate.Measurement.Bench.PingPong;
using Spate.Measurement.Bench.Relay;
using Spate.Measurement.Bench.Sessions;
using Spate.Measurement.Bench.Sockets;
using Spate.Measurement.Bench.Sweep;
using Spate.Measurement.Bench.Throughput;
using Spate.Measurement.Checks;
using Spate.Measurement.Comparing;
using Spate.Measurement.Gateway;
using Spate.Measurement.Info;
using Spate.Measurement.Planning;
using Spate.Measurement.Serving;
using Spate.Measurement.Testing;
using Spate.Measurement.Traffic;
using Spate.Measurement.Tuning;
using Spate.Measurement.Watching;

namespace Spate.Measurement.Reports;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true,
    WriteIndented = true,
    NewLine = "\n")]
[JsonSerializable(typeof(InfoReport))]
[JsonSerializable(typeof(TrafficReport))]
[JsonSerializable(typeof(ServeReport))]
[JsonSerializable(typeof(GatewayReport))]
[JsonSerializable(typeof(GatewayReadReport))]
[JsonSerializable(typeof(TestReport))]
[JsonSerializable(typeof(BenchReport))]
[JsonSerializable(typeof(DrainReport))]
[JsonSerializable(typeof(SessionsReport))]
[JsonSerializable(typeof(SocketsReport))]
[JsonSerializable(typeof(PingPongReport))]
[JsonSerializable(typeof(RelayReport))]
[JsonSerializable(typeof(DesignsReport))]
[JsonSerializable(typeof(SweepReport))]
[JsonSerializable(typeof(CompareReport))]
[JsonSerializable(typeof(PlanReport))]
[JsonSerializable(typeof(DoctorReport))]
[JsonSerializable(typeof(TuneReport))]
[JsonSerializable(typeof(WatchReport))]
internal sealed partial class ReportJsonContext : JsonSerializerContext;
