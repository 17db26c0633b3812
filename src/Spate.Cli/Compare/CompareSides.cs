using System.CommandLine;
using System.CommandLine.Parsing;
using Spate.Cli.Shell;

namespace Spate.Cli.Compare;

/// <summary>Splits the arguments of <c>spate compare</c> into the two sides.</summary>
internal static class CompareSides
{
    /// <summary>The arguments before and after <c>--</c>; of two arguments without it, one is on each side.</summary>
    public static (string[] A, string[] B) Split(ParseResult parsed, string[] arguments)
    {
        int border = -1;
        for (int i = 0; i < parsed.Tokens.Count && border < 0; i++)
        {
            if (parsed.Tokens[i].Type == TokenType.DoubleDash) border = i;
        }

        if (border < 0 && arguments.Length == 2) return ([arguments[0]], [arguments[1]]);

        if (border < 0)
        {
            throw CommandException.WrongUse(
                "two sides are needed, with -- between them: spate compare A.json... -- B.json...");
        }

        // What follows "--" is never an option, so all of it is arguments.
        int countOfB = parsed.Tokens.Count - border - 1;
        (string[] a, string[] b) = (arguments[..^countOfB], arguments[^countOfB..]);
        if (a.Length > 0 && b.Length > 0) return (a, b);

        string side = a.Length == 0 ? "before" : "after";
        throw CommandException.WrongUse($"the side {side} -- is empty: name its reports");
    }
}
