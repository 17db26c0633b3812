using System.CommandLine;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Shell.Getopt;

/// <summary>
/// A command that reads its line as getopt_long(3) does. It stands in the list of commands; what follows its name is
/// read by <see cref="Run(IReadOnlyList{string})"/>, since the parser of the other commands could not.
/// </summary>
internal abstract class GetoptCommand : Command
{
    protected GetoptCommand(string name, string description, Streams streams)
        : base(name, description)
    {
        Streams = streams;
        SetAction(_ => Run([]));
    }

    // The two are made when they are asked for: every start of the tool creates the command.

    public abstract IReadOnlyList<GetoptOption> Offered { get; }

    /// <summary>The page of <c>--help</c>, of which the man page is made.</summary>
    public abstract string HelpText { get; }

    protected Streams Streams { get; }

    public int Run(IReadOnlyList<string> args)
    {
        GetoptLine line = Parse(args);
        bool asksForHelp = line.Last(GetoptOption.Help) is not null;
        if (!asksForHelp && line.Last(GetoptOption.Version) is null) return Run(line);

        Streams.Output.WriteLine(asksForHelp ? HelpText : ToolVersion.Line);
        return ExitCode.Done;
    }

    protected abstract GetoptLine Parse(IReadOnlyList<string> args);

    /// <summary>Runs a line that asks neither for help nor for the version.</summary>
    protected abstract int Run(GetoptLine line);
}
