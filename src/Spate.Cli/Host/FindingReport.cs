using Spate.HostTuning.Checks;
using Spate.Measurement.Reports;

namespace Spate.Cli.Host;

/// <summary>A finding in reports: <c>problem</c>, <c>advice</c>, <c>unknown</c> or <c>ok</c>.</summary>
internal sealed record FindingReport(
    string Id,
    string? Interface,
    string Status,
    string Found,
    string Wanted,
    string Reason,
    string? Command,
    string? Undo,
    long Growth)
{
    internal static FindingReport Of(CheckFinding finding) => new(
        finding.Id,
        finding.Interface,
        NameText.Of(finding.Status),
        finding.Found,
        finding.Wanted,
        finding.Reason,
        finding.Command,
        finding.Undo,
        finding.Growth);
}
