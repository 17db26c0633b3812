using Spate.Measurement.Reports.Conditions;

namespace Spate.Cli.Shell.Output;

/// <summary>What a command is to do with its report besides the text for people.</summary>
/// <param name="JsonPath">A file, <c>-</c> for stdout, or null for no JSON.</param>
/// <param name="Conditions">The conditions with which the check fails.</param>
/// <param name="ShowsAllCores">Whether the report of a bench shows all CPUs of this host.</param>
internal sealed record ReportOptions(
    string? JsonPath, IReadOnlyList<ReportCondition> Conditions, bool ShowsAllCores = false);
