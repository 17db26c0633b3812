using System.Collections;
using System.Globalization;
using System.Text;

namespace Spate;

/// <summary>
/// The text of a record that holds lists. The compiler prints a list as the name of its type; here, the elements are
/// printed. Compiled into every assembly that has such records, since none shares its internals with all others.
/// </summary>
internal static class RecordText
{
    // A record in a list may hold lists too, so the characters are bounded as well as the elements.
    private const int MaxElements = 16;
    private const int MaxCharacters = 1000;

    /// <summary>The text of a record: as the compiler prints it, with the elements of its lists.</summary>
    /// <param name="name">The name of the record's type.</param>
    /// <param name="printMembers">The printing that the compiler made for the record.</param>
    /// <param name="lists">The name and the value of each member that is a list or a map.</param>
    public static string Of(
        string name,
        Func<StringBuilder, bool> printMembers,
        params ReadOnlySpan<(string Name, IEnumerable? List)> lists)
    {
        // A blank stands before every member, so that no name is found at the end of a longer one.
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
