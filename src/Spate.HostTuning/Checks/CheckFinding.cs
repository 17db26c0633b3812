using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks;

/// <summary>
/// What one check found, on the whole host or at one interface. Immutable, so safe for any thread. <c>Wanted</c>: the
/// value that it should have; empty where nothing is to be done. <c>Reason</c>: the reason of the status, in one
/// sentence that names its source.
/// </summary>
internal sealed record CheckFinding(string Id, CheckStatus Status, string Found, string Wanted, string Reason)
{
    /// <summary>The interface that the finding is about; null for the whole host.</summary>
    public string? Interface { get; init; }

    /// <summary>
    /// The command that would mend it, for a shell of root; null where there is none. It ends with the next boot.
    /// </summary>
    public string? Command { get; init; }

    /// <summary>The command that takes <see cref="Command"/> back; null where there is none.</summary>
    public string? Undo { get; init; }

    /// <summary>What was lost or delayed while the check looked, in the counter's own unit; 0 for none.</summary>
    public long Growth { get; init; }

    /// <summary>Whether a limit is below what the profile needs: such advice comes before any other.</summary>
    public bool IsBelowNeed { get; init; }

    /// <summary>The changes behind <see cref="Command"/>; empty where only people can make them.</summary>
    internal IReadOnlyList<HostChange> Changes { get; init; } = [];

    /// <summary>
    /// The same finding with the changes that mend it, which are taken back in the reverse order. It stays without any
    /// where one could not be restored from a journal: for an interface with a name that a shell would not take as it
    /// is.
    /// </summary>
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

/// <summary>What a check says of the host, the worst first.</summary>
internal enum CheckStatus
{
    /// <summary>Something is being lost now, by what a counter shows.</summary>
    Problem,

    /// <summary>
    /// Nothing is known to be lost, but a limit is below what the profile needs, or a change may help.
    /// </summary>
    Advice,

    /// <summary>The host does not tell.</summary>
    Unknown,

    /// <summary>Nothing is to be done.</summary>
    Ok,
}
