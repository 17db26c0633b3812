using System.Text.Json.Serialization;

namespace Spate.Cli.Info;

/// <summary>The JSON of the reports.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(InfoReport))]
internal sealed partial class InfoJson : JsonSerializerContext;
