using System.Text.Json.Serialization;

namespace Spate.Cli.Tune;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(TuneReport))]
internal sealed partial class TuneJson : JsonSerializerContext;
