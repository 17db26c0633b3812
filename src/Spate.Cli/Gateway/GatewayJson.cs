using System.Text.Json.Serialization;

namespace Spate.Cli.Gateway;

/// <summary>The JSON of the reports.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(GatewayReport))]
[JsonSerializable(typeof(GatewayReadReport))]
internal sealed partial class GatewayJson : JsonSerializerContext;
