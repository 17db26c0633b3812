using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

public sealed class LanguageTests
{
    private const string List = "tests/Spate.RepoTests/words.txt";

    private static IEnumerable<SourceFile> TypeFiles => Repository.CSharp
        .Where(file => file.IsUnder("src") && !file.Path.Contains("/Interop/", StringComparison.Ordinal));

    [Fact]
    public void Texts_OfTheRepository_NameTheThing() => Repository.AssertNone(
        Repository.Files.Where(file => file.IsCSharp || file.IsMarkdown), LanguageRules.RefusedWord);

    [Fact]
    public void Texts_OfTheRepository_HaveNoFormerWord() => Repository.AssertNone(
        Repository.Files.Where(file => file.IsCSharp || file.IsMarkdown), LanguageRules.FormerWord);

    [Fact]
    public void Architecture_ListOfWords_IsShort() =>
        Assert.InRange(LanguageRules.KnownWords([], Lines("ARCHITECTURE.md")).Count - 1, 1, 15);

    [Fact]
    public void Documentation_OfTheRepository_HasSentences() =>
        Repository.AssertNone(Repository.CSharp, LanguageRules.Fragment);

    [Fact]
    public void Names_OfTheTypes_AreMadeOfListedWords()
    {
        HashSet<string> known = LanguageRules.KnownWords(Lines(List), Lines("ARCHITECTURE.md"));

        Assert.Contains("datagram", known);
        Repository.AssertNone(TypeFiles.SelectMany(file => LanguageRules.UnlistedWord(file, known)));
    }

    [Fact]
    public void List_OfWords_HasNoneThatNoTypeUses()
    {
        HashSet<string> none = new(StringComparer.Ordinal);
        IEnumerable<string> used = TypeFiles.SelectMany(file => LanguageRules.UnlistedWord(file, none))
            .Select(offence => offence.Message.Split('\'')[1]);

        Assert.Equal("", string.Join(' ', Lines(List).Except(used)));
    }

    [Fact]
    public void List_OfWords_IsSortedAndHasEachOnce() =>
        Assert.Equal(Lines(List).Distinct().Order(StringComparer.Ordinal), Lines(List));

    [Theory]
    [InlineData("Who" + "ever asks", true)]
    [InlineData("by who" + "ever asks", true)]
    [InlineData("by the caller", false)]
    public void RefusedWord_InAText_IsFound(string text, bool refused) =>
        Assert.Equal(refused ? [2] : [], Offender.Lines(LanguageRules.RefusedWord, "docs/a.md", $"# A\n{text}\n"));

    [Theory]
    [InlineData("docs/a.md", "A tra" + "in of datagrams", true)]
    [InlineData("docs/a.md", "the JSON key `demo" + "tions`", false)]
    [InlineData("src/Spate.Gateway/A.cs", "// One la" + "ne", true)]
    [InlineData("docs/tune/tuning.md", "PCIe la" + "nes", false)]
    [InlineData("CHANGELOG.md", "was Tra" + "in", false)]
    public void FormerWord_InAText_IsFound(string path, string text, bool refused) =>
        Assert.Equal(refused ? [2] : [], Offender.Lines(LanguageRules.FormerWord, path, $"# A\n{text}\n"));

    [Theory]
    [InlineData("<summary>Sending.</summary>", true)]
    [InlineData("<summary>\n/// Sending now.\n/// </summary>", true)]
    [InlineData("<summary>What a socket sends.</summary>", false)]
    [InlineData("<summary>Sends the batch.</summary>", false)]
    [InlineData("<param name=\"a\">How; null for the defaults.</param>", true)]
    [InlineData("<param name=\"a\">They; valid until this returns.</param>", true)]
    [InlineData("<returns>It.</returns>", true)]
    [InlineData("<param name=\"a\">The slot.</param>", false)]
    [InlineData("<param name=\"a\">How many are wanted.</param>", false)]
    public void Fragment_InDocumentation_IsRefused(string element, bool refused) =>
        Assert.Equal(refused ? [2] : [], Offender.Lines(
            LanguageRules.Fragment, "src/A.cs", $"interface I {{\n/// {element}\nint M(int a);\n}}"));

    [Theory]
    [InlineData("class RingBuffer { }", "")]
    [InlineData("class RingCrew { }", "crew")]
    [InlineData("interface ICrew { }", "crew")]
    [InlineData("enum UDPRing { }", "udp")]
    [InlineData("delegate void RingHandler2();", "handler")]
    public void UnlistedWord_InANameOfAType_IsFound(string type, string word)
    {
        HashSet<string> known = LanguageRules.KnownWords(
            ["buffer"], ["| crew | a |", "## Words", "| ring | a queue |", "", "## Other", "| handler | a |"]);

        IEnumerable<string> words = LanguageRules.UnlistedWord(Offender.At("src/A.cs", type), known)
            .Select(offence => offence.Message.Split('\'')[1]);

        Assert.Equal(word.Length == 0 ? [] : [word], words);
    }

    private static string[] Lines(string path) => Repository.Files.Single(file => file.Path == path).Lines;
}
