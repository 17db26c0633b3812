using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

public sealed class DocumentTests
{
    private static IEnumerable<SourceFile> Named(string path) => Repository.Files.Where(file => file.Path == path);

    [Fact]
    public void Documents_OfTheRepository_Exist() =>
        Repository.AssertNone(DocumentRules.MissingDocument(Repository.Files));

    [Fact]
    public void Documents_OfTheRepository_HaveOneTitle() =>
        Repository.AssertNone(Repository.Files.Where(file => file.IsMarkdown), DocumentRules.NotOneTitle);

    [Fact]
    public void Readme_OfTheRepository_NamesItsTwoCommands() =>
        Repository.AssertNone(Named("README.md"), DocumentRules.MissingCommand);

    [Fact]
    public void Changelog_OfTheRepository_HasUnreleased() =>
        Repository.AssertNone(Named("CHANGELOG.md"), DocumentRules.MissingUnreleased);

    [Fact]
    public void Folders_OfTheSources_AreInTheCodeMap() =>
        Repository.AssertNone(DocumentRules.UnnamedFolder(
            Repository.Files, Named("ARCHITECTURE.md").Single().Text));

    [Fact]
    public void MissingDocument_AbsentOrEmpty_IsTold()
    {
        SourceFile[] files = [.. DocumentRules.Required.Skip(1).Select(path => Offender.At(path, "text"))];

        Assert.Equal("README.md", Assert.Single(DocumentRules.MissingDocument(files)).Path);
        Assert.Single(DocumentRules.MissingDocument([.. files, Offender.At("README.md", " \n")]));
        Assert.Empty(DocumentRules.MissingDocument([.. files, Offender.At("README.md", "text")]));
    }

    [Theory]
    [InlineData("# One\ntext\n## Two\n", 0)]
    [InlineData("text\n## Two\n", 1)]
    [InlineData("# One\n\n# Two\n", 3)]
    [InlineData("# One\n```sh\n# a comment\n```\n", 0)]
    public void NotOneTitle_Shapes_AreTold(string text, int line) =>
        Assert.Equal(line == 0 ? [] : [line], Offender.Lines(DocumentRules.NotOneTitle, "docs/a.md", text));

    [Fact]
    public void MissingCommand_EachOne_IsTold()
    {
        foreach (string command in DocumentRules.Commands)
        {
            string others = string.Join('\n', DocumentRules.Commands.Where(c => c != command));
            Assert.Single(DocumentRules.MissingCommand(Offender.At("README.md", $"# A\n{others}\nor {command}x\n")));
            Assert.Empty(DocumentRules.MissingCommand(Offender.At("README.md", $"# A\n{others}\n{command}\n")));
        }
    }

    [Fact]
    public void MissingUnreleased_WithoutHeading_IsTold()
    {
        Assert.Single(DocumentRules.MissingUnreleased(Offender.At("CHANGELOG.md", "# Changelog\n## [0.1.0]\n")));
        Assert.Empty(DocumentRules.MissingUnreleased(Offender.At("CHANGELOG.md", "# Changelog\n## [Unreleased]\n")));
    }

    [Fact]
    public void UnnamedFolder_AtEachDepth_IsTold()
    {
        SourceFile[] files =
        [
            Offender.At("src/Spate/UdpSocket.cs", ""), Offender.At("src/Spate/Segmentation/A.cs", ""),
            Offender.At("src/Spate/Sockets/Mmsg/A.cs", ""), Offender.At("src/Spate/Interop/Linux/A.cs", ""),
            Offender.At("src/Spate.Cli/Commands/A.cs", ""), Offender.At("tests/T/A.cs", ""),
        ];
        const string Full = "Spate/ Segmentation/ Sockets/ Mmsg/ Interop/ Spate.Cli/";

        Assert.Empty(DocumentRules.UnnamedFolder(files, Full));
        foreach (string name in Full.Split(' '))
        {
            string without = string.Join(' ', Full.Split(' ').Where(n => n != name));
            Assert.Single(DocumentRules.UnnamedFolder(files, without));
        }
    }
}
