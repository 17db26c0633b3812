using System.Text.Json.Serialization;

namespace Spate.Measurement.PathTest;

/// <summary>The JSON of the reports.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(TestReport))]
internal sealed partial class TestJson : JsonSerializerContext;
