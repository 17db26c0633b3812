using System.Text;

namespace Spate.Cli.Explain;

/// <summary>The pages of docs/ that the program contains, and their sections.</summary>
internal static class Documentation
{
    private const string Folder = "docs/";

    // In the order of the project: a reader with a message looks for its topic, which is most often in the first ones.
    private static readonly Lazy<IReadOnlyList<Page>> Read = new(static () =>
    [
        .. typeof(Documentation).Assembly.GetManifestResourceNames()
            .Where(static name => name.StartsWith(Folder, StringComparison.Ordinal))
            .Select(Page.Read),
    ]);

    public static IReadOnlyList<Page> Pages => Read.Value;

    /// <summary>The lines of a page or of a section; null where none has this name.</summary>
    public static IReadOnlyList<string>? Find(string topic)
    {
        foreach (Page page in Pages)
        {
            if (page.Name.Equals(topic, StringComparison.OrdinalIgnoreCase)) return page.Lines;
        }

        return Pages.Select(page => page.SectionOf(topic)).FirstOrDefault(static section => section is not null);
    }
}

/// <summary>A page of documentation, in Markdown.</summary>
internal sealed class Page
{
    private readonly List<(string Topic, int Level, int Line)> _headings = [];

    private Page(string name, string[] lines)
    {
        (Name, Lines) = (name, lines);
        bool isFenced = false;
        for (int i = 0; i < lines.Length; i++)
        {
            if (lines[i].StartsWith("```", StringComparison.Ordinal)) isFenced = !isFenced;
            int level = lines[i].Length - lines[i].AsSpan().TrimStart('#').Length;
            if (isFenced || level == 0 || !lines[i].AsSpan(level).StartsWith(" ")) continue;

            _headings.Add((TopicOf(lines[i][(level + 1)..]), level, i));
        }
    }

    public string Name { get; }

    public IReadOnlyList<string> Lines { get; }

    public string Title => MarkdownText.Plain(Lines[0].TrimStart('#', ' '));

    /// <summary>The names of the sections. They are the anchors that GitHub makes of the headings; one that
    /// looks like an option is left out, since nobody can write it.</summary>
    public IEnumerable<string> Topics => _headings.Skip(1)
        .Select(static heading => heading.Topic).Where(static topic => !topic.StartsWith('-'));

    public static Page Read(string resource)
    {
        using Stream stream = typeof(Page).Assembly.GetManifestResourceStream(resource)!;
        using var reader = new StreamReader(stream, Encoding.UTF8);
        return new Page(Path.GetFileNameWithoutExtension(resource), reader.ReadToEnd().TrimEnd().Split('\n'));
    }

    /// <summary>The lines of a section with those below it; null where the page has none of this name.</summary>
    public IReadOnlyList<string>? SectionOf(string topic)
    {
        int index = _headings.FindIndex(one => one.Topic.Equals(topic, StringComparison.OrdinalIgnoreCase));
        if (index < 0) return null;

        (_, int level, int first) = _headings[index];
        int next = _headings.FindIndex(index + 1, one => one.Level <= level);
        int end = next < 0 ? Lines.Count : _headings[next].Line;
        return [.. Lines.Take(end).Skip(first)];
    }

    private static string TopicOf(string heading)
    {
        string text = MarkdownText.Plain(heading).ToLowerInvariant();
        return string.Concat(text.Where(static c => char.IsLetterOrDigit(c) || c is ' ' or '-' or '_'))
            .Replace(' ', '-');
    }
}
