using System.CommandLine;
using System.CommandLine.Parsing;
using Spate.Cli.Iperf.Iperf2;
using Spate.Cli.Iperf.Iperf3;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;

namespace Spate.Cli;

/// <summary>Parses a command line, runs the command, and turns every fault into one line and an exit code.</summary>
internal static class CommandLine
{
    public static int Run(string[] args, Streams streams)
    {
        try
        {
            // These commands read their line as the programs do whose protocol they speak.
            string[] line = [.. args.SkipWhile(static arg => arg is Streams.NoColorOption)];
            switch (line.FirstOrDefault())
            {
                case Iperf3Command.CommandName: return new Iperf3Command(streams).Run(line[1..]);
                case Iperf2Command.CommandName: return new Iperf2Command(streams).Run(line[1..]);
            }

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
            CommandException refusal = ErrorMapper.Of(fault);
            streams.Notice(refusal.Message);
            return refusal.ExitCode;
        }
    }

    internal static ParseResult Parse(IReadOnlyList<string> args, Streams streams)
    {
        RootCommand root = SpateCommand.Create(streams);

        // By default the parser reads "@file" as a response file, which users of a tool for addresses do not expect.
        return CommandLineParser.Parse(
            root, args, new ParserConfiguration { EnablePosixBundling = false, ResponseFileTokenReplacer = null });
    }
}
