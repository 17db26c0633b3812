using System.Text.Json.Serialization;

namespace Spate.Cli.Serve;

/// <summary>The JSON of the reports.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(ServeReport))]
internal sealed partial class ServeJson : JsonSerializerContext;
