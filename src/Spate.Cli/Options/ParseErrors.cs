using System.CommandLine;
using System.CommandLine.Parsing;

namespace Spate.Cli.Options;

/// <summary>Turns what the parser found wrong into one line that also says where to look.</summary>
internal static class ParseErrors
{
    public static string Describe(ParseResult parsed)
    {
        string command = PathOf(parsed.CommandResult);
        string hint = $" (see {command} --help)";
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

        if (error.SymbolResult is OptionResult { Tokens.Count: 0 } bare)
        {
            return $"{bare.Option.Name} needs a value: {bare.Option.Name} {bare.Option.HelpName}" + hint;
        }

        return Sentence(error.Message) + hint;
    }

    /// <summary>The same line for an option that landed among a command's arguments.</summary>
    public static string UnknownOption(string token, string command) => $"unknown option '{token}' for {command}";

    private static string Unmatched(string token, Command command, string path)
    {
        if (token.StartsWith('-'))
        {
            return UnknownOption(token, path);
        }

        if (command.Subcommands.Count == 0)
        {
            return $"'{token}' is one argument too many for {path}";
        }

        string known = string.Join(", ", command.Subcommands.Select(static sub => sub.Name));
        return $"unknown command '{token}': expected one of {known}";
    }

    private static string PathOf(CommandResult result) => result.Parent is CommandResult parent
        ? $"{PathOf(parent)} {result.Command.Name}"
        : "spate";

    private static string Sentence(string message) => message.ReplaceLineEndings(" ").TrimEnd('.', ' ');
}
