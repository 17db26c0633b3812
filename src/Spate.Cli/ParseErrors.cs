using System.CommandLine;
using System.CommandLine.Parsing;

namespace Spate.Cli;

/// <summary>Turns what the parser found wrong into one line that also says where to look.</summary>
internal static class ParseErrors
{
    /// <summary>What is wrong with a command line; null where nothing is.</summary>
    public static string? Find(ParseResult parsed)
    {
        if (parsed.Errors.Count > 0) return Describe(parsed);

        // The parser takes an option that it does not know for a further argument.
        Token? unknown = parsed.CommandResult.Children.OfType<ArgumentResult>()
            .SelectMany(static argument => argument.Tokens)
            .FirstOrDefault(static token => token.Value.StartsWith('-'));
        if (unknown is not null) return UnknownOption(unknown.Value, PathOf(parsed.CommandResult)) + HintOf(parsed);

        // The parser is content with one value for an option that is given twice.
        OptionResult? bare = parsed.CommandResult.Children.OfType<OptionResult>().FirstOrDefault(
            static option => option.Option.Arity.MinimumNumberOfValues > 0
                && option.IdentifierTokenCount > option.Tokens.Count);
        return bare is null ? null : NeedsValue(bare.Option) + HintOf(parsed);
    }

    private static string Describe(ParseResult parsed)
    {
        string command = PathOf(parsed.CommandResult);
        string hint = HintOf(parsed);
        if (parsed.UnmatchedTokens.Count > 0)
        {
            // The parser takes an option that it does not know for an argument; what follows is then too many.
            Token? option = parsed.CommandResult.Children.OfType<ArgumentResult>()
                .SelectMany(static argument => argument.Tokens)
                .FirstOrDefault(static token => token.Value.StartsWith('-'));
            return (option is null
                ? Unmatched(parsed.UnmatchedTokens[0], parsed.CommandResult.Command, command)
                : UnknownOption(option.Value, command)) + hint;
        }

        ParseError error = parsed.Errors[0];
        if (error.SymbolResult is ArgumentResult { Tokens.Count: 0, Parent: CommandResult } missing)
        {
            return $"{command} needs {missing.Argument.HelpName ?? missing.Argument.Name}" + hint;
        }

        if (error.SymbolResult is OptionResult { Tokens.Count: 0 } bare) return NeedsValue(bare.Option) + hint;

        return Sentence(error.Message) + hint;
    }

    private static string UnknownOption(string token, string command) => $"unknown option '{token}' for {command}";

    private static string Unmatched(string token, Command command, string path)
    {
        if (token.StartsWith('-')) return UnknownOption(token, path);

        if (command.Subcommands.Count == 0) return $"'{token}' is one argument too many for {path}";

        string known = string.Join(", ", command.Subcommands.Select(static sub => sub.Name));
        return $"unknown command '{token}': expected one of {known}";
    }

    private static string NeedsValue(Option option) =>
        $"{option.Name} needs a value: {option.Name} {option.HelpName}";

    private static string HintOf(ParseResult parsed) => $" (see {PathOf(parsed.CommandResult)} --help)";

    private static string PathOf(CommandResult result) => result.Parent is CommandResult parent
        ? $"{PathOf(parent)} {result.Command.Name}"
        : "spate";

    private static string Sentence(string message) => message.ReplaceLineEndings(" ").TrimEnd('.', ' ');
}
