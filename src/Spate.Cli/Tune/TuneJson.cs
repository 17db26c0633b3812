using System.Text.Json.Serialization;

namespace Spate.Cli.Tune;

/// <summary>The JSON of the reports.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(TuneReport))]
internal sealed partial class TuneJson : JsonSerializerContext;
