using System.Text.Json.Serialization;

namespace Spate.Cli.Doctor;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(DoctorReport))]
internal sealed partial class DoctorJson : JsonSerializerContext;
