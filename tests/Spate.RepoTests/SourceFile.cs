using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Spate.RepoTests;

/// <summary>A text file of the repository: its path from the top with forward slashes, and its text.</summary>
public sealed class SourceFile(string path, string text)
{
    // One tree for all threads: a compilation knows no other tree of the same text.
    private readonly Lazy<SyntaxTree> _tree = new(() => CSharpSyntaxTree.ParseText(text, ParseOptions, path));

    // The builds check for null. Here the check would double the time of binding.
    internal static CSharpParseOptions ParseOptions { get; } = new CSharpParseOptions(LanguageVersion.Latest)
        .WithFeatures([new KeyValuePair<string, string>("run-nullable-analysis", "never")]);

    public string Path { get; } = path;

    public string Text { get; } = text;

    public string[] Lines { get; } = text.ReplaceLineEndings("\n").TrimEnd('\n').Split('\n');

    public bool IsCSharp => Path.EndsWith(".cs", StringComparison.Ordinal);

    public bool IsMarkdown => Path.EndsWith(".md", StringComparison.Ordinal);

    public bool IsProject => Path.EndsWith(".csproj", StringComparison.Ordinal);

    public string FileName => Path[(Path.LastIndexOf('/') + 1)..];

    public string Folder => Path.LastIndexOf('/') is var slash and >= 0 ? Path[..slash] : "";

    public SyntaxTree Tree => _tree.Value;

    public SyntaxNode Root => Tree.GetRoot();

    /// <summary>True for a file in this folder or below it.</summary>
    public bool IsUnder(string folder) => Path.StartsWith(folder + "/", StringComparison.Ordinal);

    public bool IsUnderAny(params ReadOnlySpan<string> folders)
    {
        foreach (string folder in folders)
        {
            if (IsUnder(folder)) return true;
        }

        return false;
    }

    public Offence At(int line, string message) => new(Path, line, message);

    public Offence At(SyntaxNode node, string message) => At(node.GetLocation(), message);

    public Offence At(SyntaxToken token, string message) => At(token.GetLocation(), message);

    public Offence At(Location location, string message) =>
        new(Path, location.GetLineSpan().StartLinePosition.Line + 1, message);
}

/// <summary>One breach of one rule, at a line that counts from 1.</summary>
public sealed record Offence(string Path, int Line, string Message)
{
    public override string ToString() => $"{Path}:{Line}: {Message}";
}
