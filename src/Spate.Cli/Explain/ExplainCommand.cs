using System.CommandLine;
using System.CommandLine.Completions;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.HostTuning.Checks;

namespace Spate.Cli.Explain;

/// <summary><c>spate explain</c>: shows a section of the documentation, which is inside the program.</summary>
internal static class ExplainCommand
{
    public static Command Create(Streams streams)
    {
        var command = new Command(
            "explain", "Show the documentation of a check, an error or a verdict.");
        var topic = new Argument<string?>("topic")
        {
            HelpName = "TOPIC",
            Description = "A check such as rmem-max, a topic from a message, or a page. Default: list them all.",
            Arity = ArgumentArity.ZeroOrOne,
        };
        topic.CompletionSources.Add(static _ => Documentation.Pages.Select(static page => page.Name)
            .Concat(HostExamination.CheckIds).Select(static name => new CompletionItem(name)));
        command.Add(topic);
        command.SetAction(parsed => Run(parsed.GetValue(topic), streams.OutputPage));
        ExampleHelp.AddTo(
            command,
            "spate explain                 list the pages and their topics",
            "spate explain rmem-max        one topic",
            "spate explain tuning          a whole page");
        return command;
    }

    private static int Run(string? topic, TerminalWriter writer)
    {
        if (topic is null)
        {
            WriteList(writer);
            return ExitCode.Done;
        }

        IReadOnlyList<string> lines = Documentation.Find(topic) ?? throw CommandException.WrongUse(Unknown(topic));
        MarkdownText.Write(lines, writer);
        return ExitCode.Done;
    }

    private static void WriteList(TerminalWriter writer)
    {
        foreach (Page page in Documentation.Pages)
        {
            writer.Line($"{page.Name}: {page.Title}");
            if (page.Topics.Any()) writer.Line($"  {string.Join(", ", page.Topics)}");
            writer.Line();
        }

        writer.Line("spate explain TOPIC shows a topic; spate explain PAGE, such as tuning, shows a whole page.");
    }

    private static string Unknown(string topic)
    {
        string[] known = [.. Documentation.Pages.SelectMany(static page => page.Topics.Prepend(page.Name))];
        string[] near = [.. known
            .Where(one => topic.Length > 2 && Letters(one).Contains(Letters(topic), StringComparison.OrdinalIgnoreCase))
            .Take(3)];
        string hint = near.Length > 0 ? $"did you mean {string.Join(" or ", near)}? " : "";
        return $"unknown topic '{topic}': {hint}spate explain lists all topics";
    }

    private static string Letters(string topic) => topic.Replace("-", "", StringComparison.Ordinal);
}
