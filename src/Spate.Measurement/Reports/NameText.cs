using System.Text;
using System.Text.Json;

namespace Spate.Measurement.Reports;

/// <summary>The names of enumerated choices in commands and reports: <c>OneByOne</c> is <c>one-by-one</c>.</summary>
internal static class NameText
{
    public static string Of<T>(T value)
        where T : struct, Enum
    {
        var text = new StringBuilder();
        foreach (char letter in value.ToString())
        {
            if (char.IsAsciiLetterUpper(letter) && text.Length > 0) text.Append('-');

            text.Append(char.ToLowerInvariant(letter));
        }

        return text.ToString();
    }

    /// <summary>All names, in the order of the values.</summary>
    public static IReadOnlyList<string> All<T>()
        where T : struct, Enum =>
        [.. Enum.GetValues<T>().Select(Of)];

    public static bool TryParse<T>(string name, out T value)
        where T : struct, Enum
    {
        foreach (T candidate in Enum.GetValues<T>())
        {
            if (string.Equals(Of(candidate), name, StringComparison.Ordinal))
            {
                value = candidate;
                return true;
            }
        }

        value = default;
        return false;
    }
}

/// <summary>Says that the names of a map in a report are those of an enumeration, in camelCase.</summary>
[AttributeUsage(AttributeTargets.Property)]
internal sealed class MapNamesAttribute(Type enumeration) : Attribute
{
    public Type Enumeration => enumeration;

    public static string[] Of(Type enumeration) =>
        [.. Enum.GetNames(enumeration).Select(JsonNamingPolicy.CamelCase.ConvertName)];
}
