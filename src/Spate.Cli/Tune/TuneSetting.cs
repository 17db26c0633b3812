namespace Spate.Cli.Tune;

/// <summary>One setting of <c>spate tune</c>.</summary>
/// <param name="Check">The check that advises it, as in <c>docs/tuning.md</c>; null where it is taken back.</param>
/// <param name="Setting">What it is called.</param>
/// <param name="From">The value that it has or had.</param>
/// <param name="To">The value that it gets.</param>
/// <param name="State">
/// <c>planned</c>, <c>done</c>, <c>already</c> for one that had the value, <c>foreign</c> for one that somebody else
/// has changed since, or <c>failed</c>.
/// </param>
/// <param name="Note">The reason of the state; null where there is nothing to say.</param>
/// <param name="Command">The command that sets it; null where it is taken back.</param>
/// <param name="Undo">The command that takes it back; null where it is taken back.</param>
internal sealed record TuneSetting(
    string? Check,
    string Setting,
    string From,
    string To,
    string State,
    string? Note = null,
    string? Command = null,
    string? Undo = null);
