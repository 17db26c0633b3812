using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks;

/// <summary>What one check found. <c>Wanted</c>: empty for nothing to do. <c>Reason</c>: it names its source.</summary>
internal sealed record CheckFinding(string Id, CheckStatus Status, string Found, string Wanted, string Reason)
{
    public string? Interface { get; init; }

    /// <summary>For a shell of root, until the next boot; null where there is none.</summary>
    public string? Command { get; init; }

    /// <summary>Takes <see cref="Command"/> back; null where there is none.</summary>
    public string? Undo { get; init; }

    /// <summary>What was lost or delayed meanwhile, in the counter's own unit; 0 for none.</summary>
    public long Growth { get; init; }

    /// <summary>Such advice comes before any other.</summary>
    public bool IsBelowNeed { get; init; }

    /// <summary>Behind <see cref="Command"/>; empty where only people can make them.</summary>
    internal IReadOnlyList<HostChange> Changes { get; init; } = [];

    /// <summary>No changes where a shell does not take the interface's name: no journal restores these.</summary>
    internal CheckFinding With(params IReadOnlyList<HostChange> changes) =>
        changes.Count == 0 || changes.Any(static one => HostSettings.Parse(one.Setting.Identity) is null)
            ? this
            : this with
            {
                Command = HostChanges.Command(changes),
                Undo = HostChanges.Undo(changes),
                Changes = changes,
            };
}

/// <summary>The worst comes first.</summary>
internal enum CheckStatus
{
    /// <summary>Something is being lost now, by what a counter shows.</summary>
    Problem,

    /// <summary>Nothing known is lost, but a limit is below the profile's needs, or a change may help.</summary>
    Advice,

    Unknown,

    Ok,
}
