using System.Text.Json.Serialization;

namespace Spate.Cli.Info;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(InfoReport))]
internal sealed partial class InfoJson : JsonSerializerContext;
