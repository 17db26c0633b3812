using System.Text.Json.Serialization;

namespace Spate.Cli.Info;

/// <summary>How the tool's own reports become JSON, generated at build time: no reflection at start.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    WriteIndented = true,
    GenerationMode = JsonSourceGenerationMode.Serialization)]
[JsonSerializable(typeof(InfoReport))]
internal sealed partial class CliJson : JsonSerializerContext;
