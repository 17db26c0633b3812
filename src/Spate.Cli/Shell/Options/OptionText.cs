using System.CommandLine;
using System.CommandLine.Completions;
using Spate.Measurement.Reports;

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

    /// <summary>The option for the lines of a summary that say what a run took of its host.</summary>
    public static Option<bool> CreateVerbose() =>
        CreateFlag("--verbose", "Also show memory and network interfaces in the summary. --json always has them.");

    public static Option<bool> CreateFlag(string name, string description) => new(name) { Description = description };

    /// <summary>The introduction and the examples within the bounds; empty where no example is within them.</summary>
    public static string Examples(
        string introduction, double min, double max, params (string Text, double Value)[] examples)
    {
        string[] fitting = [.. examples
            .Where(example => example.Value >= min && example.Value <= max)
            .Select(static example => example.Text)];
        return fitting.Length == 0 ? "" : $"{introduction} {ChoiceText.List(fitting)}";
    }

    public static CommandException Wrong(Option option, string text, string expected) =>
        CommandException.WrongUse($"{option.Name} '{text}' is wrong: expected {expected}");
}

/// <summary>Options whose values are the names of an enumeration, for example <c>one-by-one</c>.</summary>
internal static class ChoiceText
{
    public static Option<string?> Create<T>(string name, string description)
        where T : struct, Enum =>
        OptionText.CreateChoice(name, description, NameText.All<T>);

    /// <summary>All names in one line: <c>a, b or c</c>.</summary>
    public static string List<T>()
        where T : struct, Enum => List(NameText.All<T>());

    public static string List(IReadOnlyList<string> names) => names.Count == 1
        ? names[0]
        : $"{string.Join(", ", names.SkipLast(1))} or {names[^1]}";

    public static T Read<T>(ParseResult parsed, Option<string?> option, T defaultValue)
        where T : struct, Enum
    {
        string? text = parsed.GetValue(option);
        if (text is null) return defaultValue;

        return NameText.TryParse(text, out T value) ? value : throw OptionText.Wrong(option, text, List<T>());
    }
}

/// <summary>The names of the backends on the command line.</summary>
internal static class BackendText
{
    public const string Expected = "auto, portable, mmsg, uring, winsock or rio";

    public static IReadOnlyList<string> Names { get; } = [.. Enum.GetValues<UdpBackend>().Select(NameOf)];

    public static UdpBackend Read(ParseResult parsed, Option<string?> option) => parsed.GetValue(option) switch
    {
        null => UdpBackend.Automatic,
        string text => Find(text) ?? throw OptionText.Wrong(option, text, Expected),
    };

    public static UdpBackend? Find(string name)
    {
        foreach (UdpBackend backend in Enum.GetValues<UdpBackend>())
        {
            if (NameOf(backend).Equals(name, StringComparison.Ordinal)) return backend;
        }

        return null;
    }

    public static string NameOf(UdpBackend backend) =>
        backend == UdpBackend.Automatic ? "auto" : NameText.Of(backend);
}
