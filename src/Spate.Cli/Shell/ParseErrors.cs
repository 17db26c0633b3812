using System.CommandLine;
using System.CommandLine.Parsing;

namespace Spate.Cli.Shell;

/// <summary>Describes the first mistake of a command line in one line that names the help to read.</summary>
internal static class ParseErrors
{
    public static string? Find(ParseResult parsed)
    {
        string path = PathOf(parsed.CommandResult);
        return Describe(parsed, path) is { } mistake ? $"{mistake} (see {path} --help)" : null;
    }

    private static string? Describe(ParseResult parsed, string path)
    {
        // The parser takes the next option for the value of one that has none. No value of the tool begins so.
        OptionResult? robbing = parsed.CommandResult.Children.OfType<OptionResult>().FirstOrDefault(
            static option => option.Tokens.Any(static token => token.Value.StartsWith("--", StringComparison.Ordinal)));
        if (robbing is not null) return NeedsValue(robbing.Option);

        bool hasUnmatched = parsed.UnmatchedTokens.Count > 0;

        // The parser takes an unknown option for an argument. The argument after it may then be one too many.
        Token? unknown = parsed.CommandResult.Children.OfType<ArgumentResult>()
            .SelectMany(static argument => argument.Tokens)
            .FirstOrDefault(static token => token.Value.StartsWith('-'));
        if (unknown is not null && (hasUnmatched || parsed.Errors.Count == 0))
        {
            return IsBehindDoubleDash(parsed, unknown.Value)
                ? $"'{unknown.Value}' is after --, where options are not read: put options before the arguments"
                : UnknownOption(unknown.Value, path);
        }

        if (hasUnmatched) return Unmatched(parsed.UnmatchedTokens[0], parsed.CommandResult.Command, path);

        if (parsed.Errors.Count > 0) return Describe(parsed.Errors[0], path);

        // The parser accepts one value for an option that is given twice.
        OptionResult? bare = parsed.CommandResult.Children.OfType<OptionResult>().FirstOrDefault(
            static option => option.Option.Arity.MinimumNumberOfValues > 0
                && option.IdentifierTokenCount > option.Tokens.Count);
        return bare is null ? null : NeedsValue(bare.Option);
    }

    private static string Describe(ParseError error, string path) => error.SymbolResult switch
    {
        ArgumentResult { Tokens.Count: 0, Parent: CommandResult } missing =>
            $"{path} needs {missing.Argument.HelpName ?? missing.Argument.Name}",
        OptionResult { Tokens.Count: 0 } bare => NeedsValue(bare.Option),
        _ => error.Message.ReplaceLineEndings(" ").TrimEnd('.', ' '),
    };

    private static string UnknownOption(string token, string path) => $"unknown option '{token}' for {path}";

    private static bool IsBehindDoubleDash(ParseResult parsed, string value) =>
        parsed.Tokens.SkipWhile(static token => token.Type != TokenType.DoubleDash)
            .Any(token => token.Value.Equals(value, StringComparison.Ordinal));

    private static string Unmatched(string token, Command command, string path)
    {
        if (token.StartsWith('-')) return UnknownOption(token, path);

        if (command.Subcommands.Count == 0) return $"unexpected argument '{token}' for {path}";

        string known = string.Join(", ", command.Subcommands.Select(static sub => sub.Name));
        return $"unknown command '{token}': expected one of {known}";
    }

    private static string NeedsValue(Option option) =>
        $"{option.Name} needs a value: {option.Name} {option.HelpName}";

    private static string PathOf(CommandResult result) => result.Parent is CommandResult parent
        ? $"{PathOf(parent)} {result.Command.Name}"
        : "spate";
}
