using System.Text.Json.Serialization;
using Spate.Measurement.PathTest;

namespace Spate.Measurement.Traffic;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    RespectNullableAnnotations = true,
    MaxDepth = 8)]
[JsonSerializable(typeof(TestParameters))]
[JsonSerializable(typeof(TestEndReport))]
internal sealed partial class SessionJson : JsonSerializerContext;
