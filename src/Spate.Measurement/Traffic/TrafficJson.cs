using System.Text.Json.Serialization;

namespace Spate.Measurement.Traffic;

/// <summary>The JSON of the reports.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(TrafficReport))]
internal sealed partial class TrafficJson : JsonSerializerContext;
