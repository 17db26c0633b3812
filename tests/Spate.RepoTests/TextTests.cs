using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

public sealed class TextTests
{
    [Fact]
    public void Code_OfTheRepository_HasNoConditionalCompilation() =>
        Repository.AssertNone(Repository.CSharp, TextRules.ConditionalCompilation);

    [Fact]
    public void Files_OfTheRepository_AreFinished() =>
        Repository.AssertNone(Repository.Files, TextRules.Unfinished);

    [Fact]
    public void Files_OfTheRepository_AreNoPlaceholders() =>
        Repository.AssertNone(Repository.Files, TextRules.Placeholder);

    [Fact]
    public void Files_OfTheRepository_NameNoMachinePath() =>
        Repository.AssertNone(Repository.Files, TextRules.MachinePath);

    [Fact]
    public void ConditionalCompilation_AnyForm_IsRefused()
    {
        const string Text =
            "class C\n{\n#if NET10_0\n  int _a;\n#else\n  int _b;\n#endif\n#pragma warning disable\n}\n";

        Assert.Equal([3], Offender.Lines(TextRules.ConditionalCompilation, "src/A.cs", Text));
    }

    [Fact]
    public void Unfinished_EachWord_IsRefused()
    {
        foreach (string word in TextRules.UnfinishedWords)
        {
            Assert.Equal([2], Offender.Lines(TextRules.Unfinished, "README.md", $"# Title\nsome {word}: more\n"));
            Assert.Empty(Offender.Lines(TextRules.Unfinished, "README.md", $"# Title\nMAS{word}N\n"));
        }
    }

    [Theory]
    [InlineData("class C { void M() => throw new NotImplementedException(); }", true)]
    [InlineData("class C { void M() => throw new System.NotImplementedException(); }", true)]
    [InlineData("class C { void M() => throw new NotSupportedException(); }", false)]
    public void Unfinished_NotImplemented_IsRefused(string text, bool refused) =>
        Assert.Equal(refused ? [1] : [], Offender.Lines(TextRules.Unfinished, "src/A.cs", text));

    [Theory]
    [InlineData("tests/T/PlaceholderTests.cs", "class C { }", true)]
    [InlineData("tests/T/A.cs", "class Placeholder { }", true)]
    [InlineData("docs/placeholder.md", "# Later", true)]
    [InlineData("tests/T/A.cs", "class Place { }", false)]
    public void Placeholder_FileOrType_IsRefused(string path, string text, bool refused) =>
        Assert.Equal(refused ? [1] : [], Offender.Lines(TextRules.Placeholder, path, text));

    [Fact]
    public void MachinePath_EachPrefix_IsRefused()
    {
        foreach (string path in TextRules.MachinePaths)
        {
            Assert.Equal([2], Offender.Lines(TextRules.MachinePath, "docs/a.md", $"# A\nsee `{path}x`\n"));
            Assert.Empty(Offender.Lines(TextRules.MachinePath, "docs/a.md", $"# A\nsee ..{path}x and a{path}x\n"));
        }
    }
}
