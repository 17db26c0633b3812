using System.Text.Json.Serialization;

namespace Spate.Cli.Serve;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(ServeReport))]
internal sealed partial class ServeJson : JsonSerializerContext;
