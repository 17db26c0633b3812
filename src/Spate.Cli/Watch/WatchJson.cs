using System.Text.Json.Serialization;

namespace Spate.Cli.Watch;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(WatchReport))]
internal sealed partial class WatchJson : JsonSerializerContext;
