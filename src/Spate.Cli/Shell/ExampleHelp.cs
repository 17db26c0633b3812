using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace Spate.Cli.Shell;

/// <summary>The parser's own help, followed by examples and notes.</summary>
internal sealed class ExampleHelp : SynchronousCommandLineAction
{
    private readonly HelpAction _plain = new();

    private ExampleHelp(string[] examples) => Examples = examples;

    // Shows help for wrong and incomplete command lines too.
    public override bool ClearsParseErrors => true;

    public IReadOnlyList<string> Examples { get; }

    public IReadOnlyList<string> Notes { get; set; } = [];

    /// <summary>Gives a command a <c>--help</c> with examples. Subcommands do not inherit it.</summary>
    public static ExampleHelp AddTo(Command command, params string[] examples)
    {
        HelpOption? option = command.Options.OfType<HelpOption>().FirstOrDefault();
        if (option is null)
        {
            option = new HelpOption();
            command.Add(option);
        }

        option.Description = "Show help and examples.";
        option.Recursive = false;
        var help = new ExampleHelp(examples);
        option.Action = help;
        return help;
    }

    public static ExampleHelp? Of(Command command) =>
        command.Options.OfType<HelpOption>().FirstOrDefault()?.Action as ExampleHelp;

    public static int Show(Command command, ParseResult parsed) => Of(command)?.Invoke(parsed) ?? ExitCode.WrongUse;

    public override int Invoke(ParseResult parseResult)
    {
        TextWriter output = parseResult.InvocationConfiguration.Output;
        _plain.Invoke(parseResult);
        output.WriteLine("Examples:");
        foreach (string example in Examples)
        {
            output.WriteLine("  " + example);
        }

        if (Notes.Count > 0) output.WriteLine();
        foreach (string note in Notes) output.WriteLine(note);

        return ExitCode.Done;
    }
}
