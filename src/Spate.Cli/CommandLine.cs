using System.CommandLine;
using System.CommandLine.Parsing;
using System.Net.Sockets;
using Spate.Cli.Commands;
using Spate.Cli.Options;
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
            if (parsed.Errors.Count > 0)
            {
                throw CommandException.WrongUse(ParseErrors.Describe(parsed));
            }

            return parsed.Invoke(new InvocationConfiguration
            {
                EnableDefaultExceptionHandler = false,
                ProcessTerminationTimeout = null,
                Output = streams.Output,
                Error = streams.Error,
            });
        }
        catch (CommandException fault)
        {
            return Fail(streams, fault.Message, fault.ExitCode);
        }
        catch (SocketException fault)
        {
            return Fail(streams, $"the system refused: {fault.Message}", ExitCode.CouldNotRun);
        }
        catch (IOException fault)
        {
            return Fail(streams, $"cannot write the output: {fault.Message}", ExitCode.CouldNotRun);
        }
        catch (Exception fault)
        {
            // The last resort of a command's edge: whatever it was, the user gets a line and not a stack trace.
            return Fail(streams, $"could not run: {fault.GetType().Name}: {fault.Message}", ExitCode.CouldNotRun);
        }
    }

    internal static ParseResult Parse(IReadOnlyList<string> args, Streams streams)
    {
        RootCommand root = SpateCommand.Create(streams);

        // "@file" is a response file by default: a surprise in a tool whose arguments are addresses.
        return CommandLineParser.Parse(
            root, args, new ParserConfiguration { EnablePosixBundling = false, ResponseFileTokenReplacer = null });
    }

    private static int Fail(Streams streams, string message, int exitCode)
    {
        try
        {
            streams.Error.WriteLine("spate: " + SafeText.Clean(message, maximumLength: 1000));
        }
        catch (IOException)
        {
            // Nobody reads stderr; the exit code still says it.
        }

        return exitCode;
    }
}
