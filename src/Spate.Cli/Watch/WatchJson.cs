using System.Text.Json.Serialization;

namespace Spate.Cli.Watch;

/// <summary>The JSON of the reports.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(WatchReport))]
internal sealed partial class WatchJson : JsonSerializerContext;
