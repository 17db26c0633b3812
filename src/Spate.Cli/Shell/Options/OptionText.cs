using System.CommandLine;
using System.CommandLine.Completions;

namespace Spate.Cli.Shell.Options;

/// <summary>
/// Creates options whose values are text. The parser does not convert values: one generic instantiation keeps the
/// start short, and this tool's own messages say what was expected.
/// </summary>
internal static class OptionText
{
    public static Option<string?> Create(string name, string helpName, string description) =>
        new(name) { HelpName = helpName, Description = description };

    /// <summary>An option whose value is one of several names, which shells complete.</summary>
    /// <param name="values">The names, read only when a completion is written.</param>
    public static Option<string?> CreateChoice(string name, string description, Func<IEnumerable<string>> values)
    {
        Option<string?> option = Create(name, "NAME", description);
        option.CompletionSources.Add(_ => values().Select(static value => new CompletionItem(value)));
        return option;
    }

    public static Option<bool> CreateFlag(string name, string description) => new(name) { Description = description };

    /// <summary>The introduction and the examples within the bounds; empty where no example is within them.</summary>
    public static string Examples(
        string introduction, double min, double max, params (string Text, double Value)[] examples)
    {
        string[] fitting = [.. examples
            .Where(example => example.Value >= min && example.Value <= max)
            .Select(static example => example.Text)];
        return fitting.Length switch
        {
            0 => "",
            1 => $"{introduction} {fitting[0]}",
            _ => $"{introduction} {string.Join(", ", fitting[..^1])} or {fitting[^1]}",
        };
    }

    public static CommandException Wrong(Option option, string text, string expected) =>
        CommandException.WrongUse($"{option.Name} '{text}' is wrong: expected {expected}");
}
