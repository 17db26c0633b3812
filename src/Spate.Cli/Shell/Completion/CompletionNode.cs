namespace Spate.Cli.Shell.Completion;

/// <summary>A command as a shell completes it.</summary>
/// <param name="Path">The words of the command, as <c>spate bench drain</c>.</param>
/// <param name="Options">The options, with those of the commands above that apply here too.</param>
/// <param name="Values">The values of the command's argument to choose from; empty if the argument is free.</param>
internal sealed record CompletionNode(
    string Path,
    string Description,
    IReadOnlyList<CompletionOption> Options,
    IReadOnlyList<string> Values,
    IReadOnlyList<CompletionNode> Children)
{
    public string Name => Path[(Path.LastIndexOf(' ') + 1)..];

    public IEnumerable<CompletionNode> All => [this, .. Children.SelectMany(static child => child.All)];

    public IEnumerable<string> Words => [.. Children.Select(static child => child.Name), .. Values];

    /// <summary>
    /// Each command and each of its options that needs a value, as <c>spate serve --app</c>, with the values to choose
    /// from.
    /// </summary>
    public IEnumerable<(string Words, IReadOnlyList<string> Values)> ChosenOptions =>
        OptionValues.Where(static one => one.Values.Count > 0);

    /// <summary>The same of options whose value is free.</summary>
    public IEnumerable<string> FreeOptions =>
        OptionValues.Where(static one => one.Values.Count == 0).Select(static one => one.Words);

    private IEnumerable<(string Words, IReadOnlyList<string> Values)> OptionValues =>
        from node in All
        from option in node.Options
        where option.NeedsValue
        from name in option.Names
        select ($"{node.Path} {name}", option.Values);
}

/// <summary>An option as a shell completes it.</summary>
/// <param name="Values">The values to choose from; empty if the value is free.</param>
internal sealed record CompletionOption(
    IReadOnlyList<string> Names, string Description, bool NeedsValue, IReadOnlyList<string> Values);
