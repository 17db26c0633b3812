using System.Text;

namespace Spate.Cli.Shell.Man;

/// <summary>Text in the language of man pages: man(7), the macros of troff.</summary>
internal sealed class RoffText
{
    private readonly StringBuilder _text = new();

    /// <summary>Begins the page: its name, and what stands in its margins.</summary>
    public void Title(string name, string source) =>
        _text.Append($".TH {Escape(name.ToUpperInvariant())} 1 \"\" \"{Escape(source)}\" \"Spate\"\n");

    public void Section(string title) => _text.Append($".SH \"{Escape(title.ToUpperInvariant())}\"\n");

    /// <summary>Writes a paragraph, which is broken into lines where it is read.</summary>
    public void Paragraph(string text) => _text.Append($".PP\n{Line(text)}\n");

    public void Text(string text) => _text.Append(Line(text)).Append('\n');

    public void Item(IEnumerable<string> words, string value, string description)
    {
        string head = string.Join(", ", words.Select(static word => $"\\fB{Escape(word)}\\fR"));
        string name = value.Length == 0 ? "" : $"\\fI{Escape(value)}\\fR";
        _text.Append($".TP\n{head}{(head.Length > 0 && name.Length > 0 ? " " : "")}{name}\n{Line(description)}\n");
    }

    public void Verbatim(IEnumerable<string> lines)
    {
        _text.Append(".PP\n.nf\n");
        foreach (string line in lines) _text.Append(Line(line)).Append('\n');
        _text.Append(".fi\n");
    }

    public override string ToString() => _text.ToString();

    // A dot or an apostrophe at the beginning of a line is a request; \& is a character without width.
    private static string Line(string text) =>
        text.StartsWith('.') || text.StartsWith('\'') ? $"\\&{Escape(text)}" : Escape(text);

    // A plain hyphen is typeset as a dash, which cannot be copied into a shell.
    private static string Escape(string text) => text
        .Replace(@"\", @"\e", StringComparison.Ordinal)
        .Replace("-", @"\-", StringComparison.Ordinal)
        .Replace("'", @"\(aq", StringComparison.Ordinal)
        .Replace("~", @"\(ti", StringComparison.Ordinal)
        .Replace("\"", @"\(dq", StringComparison.Ordinal);
}
