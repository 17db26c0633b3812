using System.Text.Json.Serialization;

namespace Spate.Cli.Comparison;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(CompareReport))]
internal sealed partial class CompareJson : JsonSerializerContext;
