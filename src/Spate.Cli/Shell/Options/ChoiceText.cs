using System.CommandLine;
using Spate.Measurement.Reports;

namespace Spate.Cli.Shell.Options;

/// <summary>Options whose values are the names of an enumeration, for example <c>one-by-one</c>.</summary>
internal static class ChoiceText
{
    public static Option<string?> Create<T>(string name, string description)
        where T : struct, Enum =>
        OptionText.CreateChoice(name, description, NameText.All<T>);

    /// <summary>All names in one line: <c>a, b or c</c>.</summary>
    public static string List<T>()
        where T : struct, Enum => List(NameText.All<T>());

    public static string List(IReadOnlyList<string> names) =>
        $"{string.Join(", ", names.SkipLast(1))} or {names[^1]}";

    public static T Read<T>(ParseResult parsed, Option<string?> option, T defaultValue)
        where T : struct, Enum
    {
        string? text = parsed.GetValue(option);
        if (text is null) return defaultValue;

        return NameText.TryParse(text, out T value) ? value : throw OptionText.Wrong(option, text, List<T>());
    }
}
