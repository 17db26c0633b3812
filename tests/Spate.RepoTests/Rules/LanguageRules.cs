using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Spate.RepoTests.Rules;

/// <summary>Comments and names that an engineer from anywhere can read, as far as a machine can tell.</summary>
public static class LanguageRules
{
    private const string Architecture = "ARCHITECTURE.md";
    private const int MinSummaryWords = 3;

    // Put together from halves, so that this file does not break its own rules.
    private static readonly string[] RefusedWords = ["who" + "ever", "whom" + "ever"];

    private static readonly (string Word, string Files)[] FormerWords =
    [
        ("[Tt]ra" + "ins?", ""),
        ("[Dd]emo" + "t(es?|ed|ing|ions?)", ""),
        ("[Tt]al" + "l(y|ies)", ""),
        ("[Ss]ea" + "ms?", ""),
        ("sli" + "ces?", "^src/Spate/Segmentation/"),
        ("[Ll]an" + "es?|[Ss]tate" + "ments?|[Bb]ea" + "ts?", "(?i)^(src|tests)/.*gateway|^docs/gateway"),
    ];

    /// <summary>Words that leave open which thing is meant.</summary>
    public static IEnumerable<Offence> RefusedWord(SourceFile file) => Find(
        file, $@"(?i)\b({string.Join('|', RefusedWords)})\b", static word => $"'{word}': name the thing");

    /// <summary>Words of our own that gave way to the field's, and the files in which they would mean that.</summary>
    public static IEnumerable<Offence> FormerWord(SourceFile file) =>
        // The names of today's JSON keys are in quotes; the change log lists the old names.
        file.Path == "CHANGELOG.md"
            ? []
            : from former in FormerWords
              where Regex.IsMatch(file.Path, former.Files, RegexOptions.None, TimeSpan.FromSeconds(10))
              from offence in Find(
                  file, $"""(?<!["`])\b({former.Word})\b(?!["`])""", static word => $"'{word}' is a word of the past")
              select offence;

    /// <summary>A summary is a sentence; a fragment such as "How." is a riddle.</summary>
    public static IEnumerable<Offence> Fragment(SourceFile file)
    {
        foreach (SyntaxNode node in file.Root.DescendantNodes(descendIntoTrivia: true))
        {
            if (node is not XmlElementSyntax element) continue;
            string name = element.StartTag.Name.ToString();
            if (name is not ("summary" or "param" or "returns" or "value")) continue;
            string text = Regex.Replace(element.Content.ToString(), @"\s*(///)?\s+", " ",
                RegexOptions.ExplicitCapture, TimeSpan.FromSeconds(10)).Trim();
            int words = text.Split(' ', StringSplitOptions.RemoveEmptyEntries).Length;
            if (name == "summary" && words < MinSummaryWords && !text.StartsWith('<'))
            {
                yield return file.At(element, $"summary '{text}': write a sentence");
            }
            else if (Regex.IsMatch(text, @"^(How|They|It|He|She|Who|What|Where|When|Why|This|That)[.;:,]",
                RegexOptions.ExplicitCapture, TimeSpan.FromSeconds(10)))
            {
                yield return file.At(element, $"'{text}': name the thing, and write a sentence");
            }
        }
    }

    /// <summary>
    /// The words that names of types are made of stand in a list, so that a new one is seen in review: a term of the
    /// field in words.txt, a word that this code gives a meaning of its own in ARCHITECTURE.md.
    /// </summary>
    public static IEnumerable<Offence> UnlistedWord(SourceFile file, IReadOnlySet<string> known) =>
        from node in file.Root.DescendantNodes()
        let name = node switch
        {
            BaseTypeDeclarationSyntax type => type.Identifier,
            DelegateDeclarationSyntax type => type.Identifier,
            _ => default,
        }
        where name != default
        from word in WordsOf(name.ValueText)
        where !known.Contains(word)
        select file.At(name, $"{name.ValueText}: '{word}' is in no list of words");

    /// <summary>The words that names may be made of: those of a list, and those of the table of words.</summary>
    public static HashSet<string> KnownWords(IEnumerable<string> list, IEnumerable<string> architecture) => new(
        list.Concat(architecture.SkipWhile(line => line != "## Words")
            .TakeWhile(line => line == "## Words" || !line.StartsWith("## ", StringComparison.Ordinal))
            .Where(line => line.StartsWith("| ", StringComparison.Ordinal))
            .SelectMany(line => line.Split('|')[1].Split(',')))
            .Select(word => word.Trim().ToLowerInvariant()), StringComparer.Ordinal);

    /// <summary>The words ring and buffer of IRingBuffer2; one letter and a number are no words.</summary>
    public static IEnumerable<string> WordsOf(string name) =>
        Regex.Matches(name, "[A-Z]+(?![a-z])|[A-Z]?[a-z]+", RegexOptions.None, TimeSpan.FromSeconds(10))
            .Select(match => match.Value.ToLowerInvariant())
            .Where(word => word.Length > 1);

    private static IEnumerable<Offence> Find(SourceFile file, string pattern, Func<string, string> say)
    {
        for (int i = 0; i < file.Lines.Length; i++)
        {
            Match match = Regex.Match(file.Lines[i], pattern, RegexOptions.None, TimeSpan.FromSeconds(10));
            if (match.Success) yield return file.At(i + 1, say(match.Value));
        }
    }
}
