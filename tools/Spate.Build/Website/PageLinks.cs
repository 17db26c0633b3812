using System.Text.RegularExpressions;

namespace Spate.Build.Website;

/// <summary>The links of a Markdown page to files of the repository.</summary>
internal static partial class PageLinks
{
    /// <summary>The page with other targets: of links, images and HTML, outside blocks and spans of code.</summary>
    /// <param name="text">The page.</param>
    /// <param name="target">What becomes of a relative path; its anchor stays.</param>
    public static string Rewrite(string text, Func<string, string> target)
    {
        string[] lines = text.Split('\n');
        bool isFenced = false;
        for (int i = 0; i < lines.Length; i++)
        {
            if (lines[i].TrimStart().StartsWith("```", StringComparison.Ordinal)) isFenced = !isFenced;
            if (!isFenced) lines[i] = Link().Replace(lines[i], Replaced);
        }

        return string.Join('\n', lines);

        string Replaced(Match match) => match.Groups["path"] is { Success: true } path
            ? match.Groups["before"].Value + target(path.Value)
            : match.Value;
    }

    /// <summary>The relative paths that a page links to, in their order, without anchors.</summary>
    public static IReadOnlyList<string> Of(string text)
    {
        List<string> paths = [];
        Rewrite(text, path =>
        {
            paths.Add(path);
            return path;
        });
        return paths;
    }

    // A span of code is matched first, so that nothing in it is a link.
    [GeneratedRegex(
        @"`[^`]*`|(?<before>\]\(|^\[[^\]]+\]:\s*|\b(src|href)="")(?![a-z]+:|/|#)(?<path>[^)\s#""]+)",
        RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Link();
}
