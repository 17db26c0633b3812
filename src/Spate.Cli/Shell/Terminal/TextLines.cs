namespace Spate.Cli.Shell.Terminal;

/// <summary>Breaks text into lines of a terminal.</summary>
internal static class TextLines
{
    /// <summary>
    /// Breaks a text between words. A word is broken only where it is longer than a line. Spaces at the breaks are
    /// dropped, and further lines are indented like the first.
    /// </summary>
    public static IEnumerable<string> Wrap(string text, int width)
    {
        if (text.Length <= width)
        {
            yield return text;
            yield break;
        }

        int indent = text.Length - text.AsSpan().TrimStart(' ').Length;
        indent = indent < width ? indent : 0;
        string rest = text;
        while (rest.Length > width)
        {
            // The space may follow the last character that fits.
            int space = rest.LastIndexOf(' ', width);
            int end = space > indent ? space : width;
            yield return rest[..end].TrimEnd(' ');
            rest = new string(' ', indent) + rest[end..].TrimStart(' ');
        }

        yield return rest;
    }
}
