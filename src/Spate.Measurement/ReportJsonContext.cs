using System.Text.Json.Serialization;

namespace Spate.Measurement;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true,
    WriteIndented = true,
    NewLine = "\n")]
[JsonSerializable(typeof(TrafficReport))]
[JsonSerializable(typeof(BenchReport))]
[JsonSerializable(typeof(DrainReport))]
[JsonSerializable(typeof(PingPongReport))]
[JsonSerializable(typeof(RelayReport))]
internal sealed partial class ReportJsonContext : JsonSerializerContext;
