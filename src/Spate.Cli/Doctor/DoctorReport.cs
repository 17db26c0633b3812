using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Host;
using Spate.Cli.Shell.Terminal;
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

/// <summary>The text of <c>spate doctor</c>.</summary>
internal static class DoctorText
{
    public static void Write(DoctorReport report, bool showsAll, TerminalWriter writer)
    {
        string interfaces = report.Interfaces.Length > 0 ? string.Join(", ", report.Interfaces) : "none";
        writer.Line($"{report.Kernel}, profile {report.Profile}, interfaces: {interfaces}, "
            + $"counters watched for {report.Seconds:0.0} s");
        foreach (FindingReport finding in report.Checks)
        {
            if (!showsAll && !FindingText.IsToDo(finding)) continue;

            writer.Line();
            FindingText.Write(finding, writer);
        }

        writer.Line();
        WriteSummary(report, showsAll, writer);
    }

    private static bool ShowsAll() => Environment.IsPrivilegedProcess || !OperatingSystem.IsLinux();

    private static void WriteSummary(DoctorReport report, bool showsAll, TerminalWriter writer)
    {
        string[] unknown =
            [.. report.Checks.Where(static one => one.Status is "unknown").Select(FindingText.NameOf)];
        int ok = report.Checks.Length - report.Problems - report.Advices - unknown.Length;
        if (!showsAll && unknown.Length > 0)
        {
            writer.Line($"unknown: {string.Join(", ", unknown.Distinct(StringComparer.Ordinal))}"
                + (ShowsAll() ? "" : "; some of this is visible only to root"));
        }

        if (report.LeftOut.Length > 0)
        {
            writer.Line($"skipped: {FindingText.Count(report.LeftOut.Length, "Linux-only check")}");
        }

        writer.Line($"{FindingText.Count(report.Problems, "problem")}, {report.Advices} advised, "
            + $"{unknown.Length} unknown, {ok} ok" + (showsAll ? "" : "; --all shows every check and its reason"));
        if (report is { Problems: 0, Advices: > 0 }) writer.Line("No loss found; the advice is for more traffic.");
        if (Array.Find(report.Checks, FindingText.IsToDo) is { } first) FindingText.WriteFirst(first, writer);
        else writer.Line("No limit of UDP found here. Check again while your program runs: --seconds 30");
    }
}
