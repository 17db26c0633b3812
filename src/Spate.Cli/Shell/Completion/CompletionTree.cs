using System.CommandLine;
using System.CommandLine.Completions;
using Spate.Cli.Shell.Getopt;

namespace Spate.Cli.Shell.Completion;

/// <summary>Reads all commands and options for the shells. What the help hides is hidden here too.</summary>
internal static class CompletionTree
{
    public static CompletionNode Of(RootCommand root) => Of(root, "spate", []);

    /// <summary>The names of an option as a user of Unix writes them: without <c>/h</c> and <c>-?</c>.</summary>
    public static IReadOnlyList<string> NamesOf(Option option) =>
        [.. ((string[])[option.Name, .. option.Aliases]).Where(static name => name[0] == '-' && name is not "-?")];

    private static CompletionNode Of(Command command, string path, IReadOnlyList<Option> inherited)
    {
        Option[] own = [.. command.Options.Where(static option => !option.Hidden)];
        Option[] handedDown = [.. inherited, .. own.Where(static option => option.Recursive)];
        CompletionOption[] options = command is GetoptCommand getopt
            ? [.. getopt.Offered.Select(Of)]
            : [.. own.Concat(inherited).Select(Of)];
        return new CompletionNode(
            path,
            command.Description ?? "",
            options,
            [.. command.Arguments.SelectMany(static argument => argument.GetCompletions(CompletionContext.Empty))
                .Select(static item => item.Label)],
            [.. command.Subcommands.Where(static child => !child.Hidden)
                .Select(child => Of(child, $"{path} {child.Name}", handedDown))]);
    }

    private static CompletionOption Of(Option option)
    {
        // A flag offers true and false, which nobody writes: its value is not needed.
        bool needsValue = option.Arity.MinimumNumberOfValues > 0;
        return new CompletionOption(
            NamesOf(option),
            option.Description ?? "",
            needsValue,
            needsValue ? [.. option.GetCompletions(CompletionContext.Empty).Select(static item => item.Label)] : []);
    }

    private static CompletionOption Of(GetoptOption option) =>
        new(option.Spellings, "", option.Argument == GetoptArgument.Required, option.Values);
}

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
