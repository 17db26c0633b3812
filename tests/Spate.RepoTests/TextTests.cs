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
    public void Imports_OfTheRepository_AreInOrder() =>
        Repository.AssertNone(Repository.CSharp, TextRules.UnorderedImport);

    [Theory]
    [InlineData("using System;\nusing System.Net.Sockets;\nusing Alpha;\nusing static System.Math;", 0)]
    [InlineData("using Alpha;\nusing System;", 2)]
    [InlineData("using Alpha.Beta;\nusing Alpha;", 2)]
    [InlineData("using static System.Math;\nusing Alpha;", 2)]
    [InlineData("using A = System.Net;\nusing System;", 2)]
    public void UnorderedImport_AnyKind_IsRefused(string text, int line) =>
        Assert.Equal(line == 0 ? [] : [line], Offender.Lines(TextRules.UnorderedImport, "src/A.cs", text));

    [Fact]
    public void Lines_OfTheCode_EndWithALineFeed() =>
        Repository.AssertNone(Repository.CSharp, TextRules.LineEnd);

    [Theory]
    [InlineData("class A { }\n", 0)]
    [InlineData("// one\nclass A { }", 2)]
    [InlineData("// one\r\nclass A { }\n", 1)]
    public void LineEnd_MissingOrOfWindows_IsRefused(string text, int line) =>
        Assert.Equal(line == 0 ? [] : [line], Offender.Lines(TextRules.LineEnd, "src/A.cs", text));

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
