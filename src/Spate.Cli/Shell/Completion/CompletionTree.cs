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
