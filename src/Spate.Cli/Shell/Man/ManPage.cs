using System.CommandLine;
using System.Text;
using Spate.Cli.Shell.Completion;
using Spate.Cli.Shell.Getopt;

namespace Spate.Cli.Shell.Man;

/// <summary>Writes the man page of a command from its help.</summary>
internal static class ManPage
{
    public static string NameOf(string path) => path.Replace(' ', '-');

    public static string Write(Command command, string path, IEnumerable<Option> inherited)
    {
        var text = new RoffText();
        text.Title(NameOf(path), ToolVersion.Line);
        text.Section("Name");
        text.Text($"{NameOf(path)} - {Summary(command)}");
        if (command is GetoptCommand own) WriteHelp(text, own.HelpText);
        else WriteParts(text, command, path, inherited);

        text.Section("See also");
        int end = path.LastIndexOf(' ');
        string[] above = end < 0 ? [] : [path[..end]];
        IEnumerable<string> others = [.. above, .. Visible(command).Select(child => $"{path} {child.Name}")];
        text.Paragraph(string.Join(", ", others.Select(static other => $"{NameOf(other)}(1)")));
        return text.ToString();
    }

    /// <summary>The commands below a command that the help shows.</summary>
    public static IEnumerable<Command> Visible(Command command) => command.Subcommands.Where(static one => !one.Hidden);

    // whatis(1) shows it in one line: the first sentence.
    private static string Summary(Command command) => (command.Description ?? "").Split(". ")[0].TrimEnd('.');

    private static void WriteParts(RoffText text, Command command, string path, IEnumerable<Option> inherited)
    {
        Command[] children = [.. Visible(command)];
        text.Section("Synopsis");
        string arguments = string.Concat(command.Arguments.Select(static one => $" [{one.HelpName ?? one.Name}]"));
        text.Paragraph($"{path}{(children.Length > 0 ? " [COMMAND]" : "")}{arguments} [OPTIONS]");
        text.Section("Description");
        text.Paragraph(command.Description ?? "");
        foreach (Argument argument in command.Arguments)
        {
            text.Item([], argument.HelpName ?? argument.Name, argument.Description ?? "");
        }

        if (children.Length > 0) text.Section("Commands");
        foreach (Command child in children) text.Item([child.Name], "", child.Description ?? "");

        text.Section("Options");
        foreach (Option option in command.Options.Concat(inherited).Where(static option => !option.Hidden))
        {
            bool needsValue = option.Arity.MinimumNumberOfValues > 0;
            text.Item(
                CompletionTree.NamesOf(option), needsValue ? option.HelpName ?? "VALUE" : "", option.Description ?? "");
        }

        if (ExampleHelp.Of(command) is not { } help) return;

        text.Section("Examples");
        text.Verbatim(help.Examples);
        foreach (string note in help.Notes) text.Paragraph(note);
    }

    // These pages are text, with headings that end in a colon and what belongs to them two columns further in.
    private static void WriteHelp(RoffText text, string help)
    {
        string heading = "";
        var lines = new List<string>();
        foreach (string line in help.ReplaceLineEndings("\n").Split('\n'))
        {
            bool isHeading = line.EndsWith(':') && line[0] != ' ';
            if (line.StartsWith("  ", StringComparison.Ordinal)) lines.Add(line[2..]);
            else Flush(text, heading, lines);

            if (isHeading) text.Section(heading = line.TrimEnd(':'));
            else if (line.Length > 0 && line[0] != ' ') text.Paragraph(line);
        }

        Flush(text, heading, lines);
    }

    private static void Flush(RoffText text, string heading, List<string> lines)
    {
        if (lines.Count == 0) return;

        if (heading is "Description") text.Paragraph(string.Join(' ', lines));
        else text.Verbatim(lines);
        lines.Clear();
    }
}

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
