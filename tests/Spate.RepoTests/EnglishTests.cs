using System.Globalization;
using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

public sealed class EnglishTests
{
    private const string List = "tests/Spate.RepoTests/english.txt";

    [Fact]
    public void Habits_OfEachFolder_AreAsManyAsListed()
    {
        IEnumerable<string> counted = Repository.Files
            .Where(file => file.IsCSharp || file.IsMarkdown)
            .GroupBy(EnglishRules.GroupOf, EnglishRules.Count, StringComparer.Ordinal)
            .Where(folder => folder.Sum() > 0)
            .Select(folder => string.Create(CultureInfo.InvariantCulture, $"{folder.Key} {folder.Sum()}"))
            .Order(StringComparer.Ordinal);

        Assert.True(counted.SequenceEqual(Repository.Files.Single(file => file.Path == List).Lines),
            $"{List} lists the habits of English in each folder. Where more are counted, reword the sentence; where "
                + $"fewer are, lower the number. Counted:\n{string.Join('\n', counted)}");
    }

    [Theory]
    [InlineData("Datagrams that arrived.", 0)]
    [InlineData("Wh" + "at the kernel dropped.", 1)]
    [InlineData("A socket that ha" + "d no peer.", 0)]
    [InlineData("The table is n" + "o place for it; is no longer one.", 1)]
    [InlineData("10 datagrams " + "a second, to" + "ld by the kernel.", 1)]
    [InlineData("It is to" + "ld: sha" + "ll we?", 2)]
    public void Count_OfAText_IsOfItsHabits(string text, int count) =>
        Assert.Equal(count, EnglishRules.Count(new SourceFile("docs/a.md", $"# A\n{text}\n")));

    [Fact]
    public void Count_HeadingThatAsks_IsOne() =>
        Assert.Equal(1, EnglishRules.Count(new SourceFile("docs/a.md", "## Whe" + "re to look\n## Looking\n")));
}
