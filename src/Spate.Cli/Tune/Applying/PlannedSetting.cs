using Spate.HostTuning.Checks;

namespace Spate.Cli.Tune.Applying;

/// <summary>A setting that <see cref="HostTuner.Apply"/> would make. Immutable, so safe for any thread.</summary>
/// <param name="Check">The check that advises it.</param>
/// <param name="Setting">What it is called.</param>
/// <param name="From">The value that it has.</param>
/// <param name="To">The value that it would get.</param>
/// <param name="Command">The command that sets it, for a shell of root.</param>
/// <param name="Undo">The command that takes it back.</param>
internal sealed record PlannedSetting(
    string Check, string Setting, string From, string To, string Command, string Undo)
{
    /// <summary>The settings of findings, in the order in which they would be made, each once.</summary>
    public static IReadOnlyList<PlannedSetting> Of(IEnumerable<CheckFinding> findings) =>
    [
        .. findings
            .SelectMany(static finding => finding.Changes.Select(change => (finding.Id, Change: change)))
            .DistinctBy(static one => one.Change.Setting.Identity, StringComparer.Ordinal)
            .Select(static one => new PlannedSetting(
                one.Id,
                one.Change.Setting.Name,
                one.Change.From,
                one.Change.To,
                one.Change.Command,
                one.Change.Undo)),
    ];
}
