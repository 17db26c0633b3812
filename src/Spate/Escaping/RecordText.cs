using System.Collections;
using System.Globalization;
using System.Text;

namespace Spate;

/// <summary>
/// Builds the text of a record that contains lists. For a list, the text from the compiler has only the name of the
/// list's type; this text has the elements. This file is compiled into every assembly that has such records, because no
/// assembly shares its internals with all the others.
/// </summary>
internal static class RecordText
{
    // A record in a list may contain lists too, so the number of characters is limited as well as the number of
    // elements.
    private const int MaxElements = 16;
    private const int MaxCharacters = 1000;

    /// <summary>
    /// Returns the text that the compiler would print for a record, but with the elements of the lists.
    /// </summary>
    /// <param name="name">The name of the record's type.</param>
    /// <param name="printMembers">The record's <c>PrintMembers</c> method, which the compiler generates.</param>
    /// <param name="lists">The name and the value of each member that is a list or a map.</param>
    public static string Of(
        string name,
        Func<StringBuilder, bool> printMembers,
        params ReadOnlySpan<(string Name, IEnumerable? List)> lists)
    {
        // Put a blank before every member, so that a name is not found at the end of a longer name.
        var text = new StringBuilder(" ");
        printMembers(text);
        foreach ((string member, IEnumerable? list) in lists)
        {
            if (list is not null) text.Replace($" {member} = {list}", $" {member} = {Elements(list)}");
        }

        return $"{name} {{{text} }}";
    }

    private static string Elements(IEnumerable list)
    {
        var shown = new List<string>();
        int count = 0;
        int characters = 0;
        foreach (object? element in list)
        {
            count++;
            if (shown.Count < MaxElements && characters < MaxCharacters)
            {
                shown.Add(element is null ? "null" : Convert.ToString(element, CultureInfo.InvariantCulture) ?? "");
                characters += shown[^1].Length;
            }
        }

        string text = string.Join(", ", shown);
        if (text.Length > MaxCharacters) text = text[..MaxCharacters] + "…";
        int rest = count - shown.Count;
        return rest > 0 ? $"[{text}, and {rest} more]" : $"[{text}]";
    }
}
