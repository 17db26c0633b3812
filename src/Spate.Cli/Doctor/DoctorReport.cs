using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Host;
using Spate.HostTuning.Checks;
using Spate.Measurement.HostUse;

namespace Spate.Cli.Doctor;

/// <summary>The report of <c>spate doctor</c>: what limits UDP on this host.</summary>
internal sealed record DoctorReport : HostReport
{
    public const string KindName = "doctor";

    public DoctorReport() => Kind = KindName;

    public required string Profile { get; set; }

    public required string[] Interfaces { get; set; }

    public required double Seconds { get; set; }

    public required int Problems { get; set; }

    public required int Advices { get; set; }

    /// <summary>The ids of the checks that were not made: what they look at exists on Linux only.</summary>
    public required string[] LeftOut { get; set; }

    /// <summary>The findings, what is likely to matter most first.</summary>
    public required FindingReport[] Checks { get; set; }

    public static DoctorReport Of(HostExamination examination, string kernel, string spateVersion) => new()
    {
        SpateVersion = spateVersion,
        Kernel = kernel,
        Profile = HostProfileText.Of(examination.Profile),
        Interfaces = [.. examination.Interfaces],
        Seconds = examination.Watched.TotalSeconds,
        Problems = examination.Findings.Count(static one => one.Status == CheckStatus.Problem),
        Advices = examination.Findings.Count(static one => one.Status == CheckStatus.Advice),
        LeftOut = [.. examination.LeftOut],
        Checks = [.. examination.Findings.Select(FindingReport.Of)],
    };

    internal override JsonTypeInfo JsonType => DoctorJson.Default.DoctorReport;
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(DoctorReport))]
internal sealed partial class DoctorJson : JsonSerializerContext;
