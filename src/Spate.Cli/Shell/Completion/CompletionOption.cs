namespace Spate.Cli.Shell.Completion;

/// <summary>An option as a shell completes it.</summary>
/// <param name="Names">The names, with dashes.</param>
/// <param name="Description">The description in the help; empty for none.</param>
/// <param name="NeedsValue">Whether the next word is the option's value.</param>
/// <param name="Values">The values to choose from; empty if the value is free.</param>
internal sealed record CompletionOption(
    IReadOnlyList<string> Names, string Description, bool NeedsValue, IReadOnlyList<string> Values);
