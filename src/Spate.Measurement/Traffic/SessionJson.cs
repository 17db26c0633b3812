using System.Text.Json.Serialization;

namespace Spate.Measurement.Traffic;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    RespectNullableAnnotations = true,
    MaxDepth = 8)]
[JsonSerializable(typeof(TestEndReport))]
internal sealed partial class SessionJson : JsonSerializerContext;
