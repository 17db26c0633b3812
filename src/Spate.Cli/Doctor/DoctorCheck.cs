using Spate.HostTuning.Checks;
using Spate.Measurement.Reports;

namespace Spate.Cli.Doctor;

/// <summary>One finding of <c>spate doctor</c>.</summary>
/// <param name="Id">See <see cref="CheckFinding.Id"/>.</param>
/// <param name="Interface">See <see cref="CheckFinding.Interface"/>.</param>
/// <param name="Status"><c>problem</c>, <c>advice</c>, <c>unknown</c> or <c>ok</c>.</param>
/// <param name="Found">See <see cref="CheckFinding.Found"/>.</param>
/// <param name="Wanted">See <see cref="CheckFinding.Wanted"/>.</param>
/// <param name="Reason">See <see cref="CheckFinding.Reason"/>.</param>
/// <param name="Command">See <see cref="CheckFinding.Command"/>.</param>
/// <param name="Undo">See <see cref="CheckFinding.Undo"/>.</param>
/// <param name="Growth">See <see cref="CheckFinding.Growth"/>.</param>
internal sealed record DoctorCheck(
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
    internal static DoctorCheck Of(CheckFinding finding) => new(
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
