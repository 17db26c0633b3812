using System.Text.Json.Serialization;

namespace Spate.Cli.Plan;

/// <summary>The JSON of the reports.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(PlanReport))]
internal sealed partial class PlanJson : JsonSerializerContext;
