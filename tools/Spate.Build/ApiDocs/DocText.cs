using System.Text;
using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace Spate.Build.ApiDocs;

/// <summary>Makes Markdown of the elements that XML documentation has.</summary>
internal sealed partial class DocText(DocLinks links)
{
    /// <summary>Paragraphs, lists and code.</summary>
    public string Block(XElement? element)
    {
        if (element is null) return "";
        var text = new StringBuilder();
        foreach (XNode node in element.Nodes()) Append(text, node);
        return Joints(text.ToString());
    }

    /// <summary>The same in one line, for a table.</summary>
    public string Cell(XElement? element) =>
        Blanks().Replace(Block(element), " ").Replace("|", "\\|", StringComparison.Ordinal);

    private void Append(StringBuilder text, XNode node)
    {
        if (node is XText plain)
        {
            text.Append(Escape(Blanks().Replace(plain.Value, " ")));
            return;
        }

        if (node is not XElement element) return;
        switch (element.Name.LocalName)
        {
            case "c":
                text.Append($"`{Blanks().Replace(element.Value, " ")}`");
                break;
            case "paramref" or "typeparamref":
                text.Append($"`{element.Attribute("name")!.Value}`");
                break;
            case "see" or "seealso":
                text.Append(Link(element));
                break;
            case "para" or "remarks" or "summary":
                text.Append($"\n\n{Block(element)}\n\n");
                break;
            case "code":
                text.Append($"\n\n```csharp\n{Unindent(element.Value)}\n```\n\n");
                break;
            case "list":
                text.Append("\n\n");
                foreach (XElement item in element.Elements("item"))
                    text.Append($"- {Cell(item.Element("description") ?? item)}\n");
                text.Append('\n');
                break;
            default:
                throw new BuildException($"<{element.Name}> in XML documentation is not known to api-docs");
        }
    }

    private string Link(XElement see)
    {
        if (see.Attribute("langword") is { } word) return $"`{word.Value}`";
        if (see.Attribute("href") is { } address)
        {
            return $"[{(see.Value.Length > 0 ? Escape(see.Value) : address.Value)}]({address.Value})";
        }

        string id = see.Attribute("cref")!.Value;
        string shown = see.Value.Length > 0 ? see.Value : ShortName(id);
        return links.Find(id) is { } target ? $"[`{shown}`]({target})" : $"`{shown}`";
    }

    // "M:Spate.UdpSocket.Receive(Spate.ReceiveBatch)" is UdpSocket.Receive, "T:Spate.Datagram" is Datagram.
    private static string ShortName(string id)
    {
        string name = Arity().Replace(id[2..].Split('(')[0], "");
        string[] parts = name.Split('.');
        bool isType = id[0] == 'T';
        return isType || parts.Length < 2
            ? parts[^1]
            : parts[^1] == "#ctor" ? parts[^2] : $"{parts[^2]}.{parts[^1]}";
    }

    // One empty line between blocks; code keeps its own.
    private static string Joints(string text)
    {
        var lines = new List<string>();
        bool isCode = false;
        foreach (string line in text.Split('\n'))
        {
            if (line.StartsWith("```", StringComparison.Ordinal)) isCode = !isCode;
            string shown = isCode ? line : line.Trim();
            if (isCode || shown.Length > 0 || (lines.Count > 0 && lines[^1].Length > 0)) lines.Add(shown);
        }

        return string.Join('\n', lines).Trim();
    }

    private static string Escape(string text) => text.Replace("<", "&lt;", StringComparison.Ordinal)
        .Replace("*", "\\*", StringComparison.Ordinal).Replace("[", "\\[", StringComparison.Ordinal);

    private static string Unindent(string code)
    {
        string[] lines = code.ReplaceLineEndings("\n").Trim('\n').TrimEnd().Split('\n');
        int indentation = lines.Where(line => line.Trim().Length > 0)
            .Select(line => line.Length - line.TrimStart().Length).DefaultIfEmpty(0).Min();
        return string.Join('\n', lines.Select(line => line.Length <= indentation ? "" : line[indentation..].TrimEnd()));
    }

    [GeneratedRegex(@"\s+", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 1000)]
    private static partial Regex Blanks();

    [GeneratedRegex(@"`+\d+", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 1000)]
    private static partial Regex Arity();
}
