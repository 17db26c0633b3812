using System.Text;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.RepoTests.Rules;

/// <summary>What the tool and the documents point to in a document is there.</summary>
public static partial class AnchorRules
{
    /// <summary>The one file of the tool that names headings, beside the host's checks, which are headings.</summary>
    public const string Names = "src/Spate.Cli/Shell/DocsAnchor.cs";

    /// <summary>Places named in strings of code that no document has.</summary>
    public static IEnumerable<Offence> DeadInCode(SourceFile code, IReadOnlyList<SourceFile> files) =>
        from token in code.Root.DescendantTokens()
        where token.RawKind is (int)SyntaxKind.StringLiteralToken or (int)SyntaxKind.InterpolatedStringTextToken
        from Match place in Place().Matches(token.ValueText)
        where !Exists(place.Groups["file"].Value, place.Groups["anchor"].Value, files)
        select code.At(token, $"{place.Value} is nowhere");

    /// <summary>Headings that code of the tool names outside the one file for them.</summary>
    public static IEnumerable<Offence> NamedElsewhere(SourceFile code) =>
        code.Path == Names || !code.IsUnder("src/Spate.Cli") || code.IsUnder("src/Spate.Cli/Explain")
            ? []
            : from token in code.Root.DescendantTokens()
              where token.RawKind is (int)SyntaxKind.StringLiteralToken or (int)SyntaxKind.InterpolatedStringTextToken
              where Topic().IsMatch(token.ValueText)
                  || Place().Matches(token.ValueText).Any(place => place.Groups["anchor"].Length > 0)
              select code.At(token, $"a heading of a document: name it in {Names}");

    /// <summary>Anchors of the one file that nothing prints.</summary>
    public static IEnumerable<Offence> Unused(IReadOnlyList<SourceFile> files)
    {
        SourceFile names = files.Single(file => file.Path == Names);
        HashSet<string> used = [.. files.Where(file => file.IsCSharp && file.IsUnder("src/Spate.Cli"))
            .SelectMany(file => file.Root.DescendantNodes().OfType<IdentifierNameSyntax>())
            .Select(name => name.Identifier.ValueText)];
        return from field in names.Root.DescendantNodes().OfType<VariableDeclaratorSyntax>()
               where !used.Contains(field.Identifier.ValueText)
               select names.At(field, $"{field.Identifier.ValueText} is printed by nothing");
    }

    /// <summary>Links between documents that lead nowhere.</summary>
    public static IEnumerable<Offence> DeadLinks(SourceFile document, IReadOnlyList<SourceFile> files)
    {
        bool isFenced = false;
        for (int i = 0; i < document.Lines.Length; i++)
        {
            if (document.Lines[i].StartsWith("```", StringComparison.Ordinal)) isFenced = !isFenced;
            if (isFenced) continue;
            foreach (Match link in Link().Matches(document.Lines[i]))
            {
                string file = link.Groups["file"].Value;
                string path = file.Length == 0 ? document.Path : Resolve(document.Folder, file);
                if (Exists(path, link.Groups["anchor"].Value, files)) continue;
                yield return document.At(i + 1, $"{link.Value} leads nowhere");
            }
        }
    }

    /// <summary>
    /// The anchors that GitHub makes of headings: lower case, blanks as hyphens, without other punctuation; a number
    /// behind those that were there before.
    /// </summary>
    public static IReadOnlySet<string> AnchorsOf(SourceFile document)
    {
        HashSet<string> anchors = new(StringComparer.Ordinal);
        bool isFenced = false;
        foreach (string line in document.Lines)
        {
            if (line.StartsWith("```", StringComparison.Ordinal)) isFenced = !isFenced;
            Match heading = isFenced ? Match.Empty : Heading().Match(line);
            if (!heading.Success) continue;
            string slug = Slug(LinkText().Replace(heading.Groups["text"].Value, "${shown}"));
            string unique = slug;
            for (int number = 1; !anchors.Add(unique); number++) unique = $"{slug}-{number}";
        }

        return anchors;
    }

    private static string Slug(string heading)
    {
        var slug = new StringBuilder();
        foreach (char c in heading)
        {
            if (char.IsLetterOrDigit(c) || c is '-' or '_') slug.Append(char.ToLowerInvariant(c));
            else if (c == ' ') slug.Append('-');
        }

        return slug.ToString();
    }

    private static bool Exists(string path, string anchor, IReadOnlyList<SourceFile> files)
    {
        if (files.FirstOrDefault(file => file.Path == path) is { } document)
        {
            return anchor.Length == 0 || AnchorsOf(document).Contains(anchor);
        }

        return anchor.Length == 0 && files.Any(file => file.IsUnder(path.TrimEnd('/')));
    }

    // "docs" and "../samples/" make "samples/".
    private static string Resolve(string folder, string file)
    {
        List<string> parts = [.. folder.Split('/', StringSplitOptions.RemoveEmptyEntries)];
        foreach (string part in file.Split('/'))
        {
            if (part == ".." && parts.Count > 0) parts.RemoveAt(parts.Count - 1);
            else if (part is not ("." or "..")) parts.Add(part);
        }

        return string.Join('/', parts);
    }

    [GeneratedRegex(@"(?<file>docs/[\w/-]+\.md)(?:#(?<anchor>[\w-]+))?", RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex Place();

    [GeneratedRegex("spate explain [a-z]", RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex Topic();

    [GeneratedRegex(@"\]\((?!\w+:)(?<file>[^)#\s]*)(?:#(?<anchor>[^)\s]+))?\)", RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex Link();

    [GeneratedRegex(@"^#{1,6} (?<text>.+?) *$", RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex Heading();

    [GeneratedRegex(@"\[(?<shown>[^\]]*)\]\([^)]*\)", RegexOptions.CultureInvariant, 10_000)]
    private static partial Regex LinkText();
}
