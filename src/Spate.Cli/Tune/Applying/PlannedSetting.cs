using Spate.HostTuning.Checks;

namespace Spate.Cli.Tune.Applying;

/// <summary>A setting that <see cref="HostTuner.Apply"/> would make. Immutable, so safe for any thread.</summary>
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
