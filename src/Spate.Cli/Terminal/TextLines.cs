namespace Spate.Cli.Terminal;

/// <summary>Breaks text into lines of a terminal.</summary>
internal static class TextLines
{
    /// <summary>
    /// Breaks a text between words, and a word only where it is longer than a line. Nothing but the spaces at the
    /// breaks is lost; further lines are indented as the text is.
    /// </summary>
    /// <param name="text">One line of text.</param>
    /// <param name="width">The most characters that a line may have.</param>
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
            // A space right behind the last character that fits ends the line as well.
            int space = rest.LastIndexOf(' ', width);
            int end = space > indent ? space : width;
            yield return rest[..end].TrimEnd(' ');
            rest = new string(' ', indent) + rest[end..].TrimStart(' ');
        }

        yield return rest;
    }
}
