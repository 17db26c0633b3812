using System.Text.Json.Serialization;

namespace Spate.Cli.Gateway;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(GatewayReport))]
[JsonSerializable(typeof(GatewayReadReport))]
internal sealed partial class GatewayJson : JsonSerializerContext;
