namespace Spate.Cli.Tune.Applying;

/// <summary>What became of one setting. Immutable, so safe for any thread.</summary>
/// <param name="Setting">What it is called.</param>
/// <param name="From">The value that it had.</param>
/// <param name="To">The value that it was to have.</param>
/// <param name="State">What became of it.</param>
/// <param name="Note">The reason of the state; null where there is nothing to say.</param>
internal sealed record SettingOutcome(string Setting, string From, string To, SettingState State, string? Note = null);
