using System.Text.Json.Serialization;
using Spate.Measurement.Serving;

namespace Spate.Measurement;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true,
    WriteIndented = true,
    NewLine = "\n")]
[JsonSerializable(typeof(TrafficReport))]
[JsonSerializable(typeof(ServeReport))]
[JsonSerializable(typeof(BenchReport))]
[JsonSerializable(typeof(DrainReport))]
[JsonSerializable(typeof(SessionsReport))]
[JsonSerializable(typeof(SocketsReport))]
[JsonSerializable(typeof(PingPongReport))]
[JsonSerializable(typeof(RelayReport))]
[JsonSerializable(typeof(DesignsReport))]
internal sealed partial class ReportJsonContext : JsonSerializerContext;
