using System.Text.Json.Serialization;

namespace Spate.Cli.Plan;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(PlanReport))]
internal sealed partial class PlanJson : JsonSerializerContext;
