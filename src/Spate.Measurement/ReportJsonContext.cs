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
[JsonSerializable(typeof(DesignsReport))]
internal sealed partial class ReportJsonContext : JsonSerializerContext;
