using System.CommandLine;
using System.CommandLine.Parsing;
using Spate.Cli.Output;

namespace Spate.Cli;

/// <summary>Parses, dispatches, and turns every fault into one line and an exit code.</summary>
internal static class CommandLine
{
    public static int Run(string[] args, Streams streams)
    {
        try
        {
            ParseResult parsed = Parse(args, streams);
            if (ParseErrors.Find(parsed) is { } mistake) throw CommandException.WrongUse(mistake);

            return parsed.Invoke(new InvocationConfiguration
            {
                EnableDefaultExceptionHandler = false,
                ProcessTerminationTimeout = null,
                Output = streams.Output,
                Error = streams.Error,
            });
        }
        catch (Exception fault)
        {
            // The user gets a line and not a stack trace.
            CommandException refusal = Refusal.Of(fault);
            streams.Notice(refusal.Message);
            return refusal.ExitCode;
        }
    }

    internal static ParseResult Parse(IReadOnlyList<string> args, Streams streams)
    {
        RootCommand root = SpateCommand.Create(streams);

        // "@file" is a response file by default: a surprise in a tool whose arguments are addresses.
        return CommandLineParser.Parse(
            root, args, new ParserConfiguration { EnablePosixBundling = false, ResponseFileTokenReplacer = null });
    }
}
