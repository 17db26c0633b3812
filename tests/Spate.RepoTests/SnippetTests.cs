using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

/// <summary>What documents show compiles, since it is taken from files that do.</summary>
public sealed class SnippetTests
{
    private const string Renewal = "SPATE_UPDATE_DOCS";

    /// <summary>With SPATE_UPDATE_DOCS=1 the test writes anew what documents include instead, and passes.</summary>
    [Fact]
    public void Code_OfTheDocuments_IsIncludedFromCompiledFiles()
    {
        SourceFile[] documents = [.. Repository.Files.Where(SnippetRules.IsDocument)];
        if (Environment.GetEnvironmentVariable(Renewal) == "1")
        {
            foreach (SourceFile document in documents)
            {
                string renewed = SnippetRules.Renewed(document, Repository.Files);
                if (renewed != document.Text) Repository.Write(document.Path, renewed);
            }

            return;
        }

        Repository.AssertNone(documents, document => SnippetRules.Stale(document, Repository.Files));
    }

    [Fact]
    public void Regions_OfTheSnippets_AreIncluded() => Repository.AssertNone(SnippetRules.Unused(Repository.Files));

    [Theory]
    [InlineData("<!-- include: samples/A.cs#two -->\n```csharp\nint a;\n\nb();\n```\n", 0)]
    [InlineData("<!-- include: samples/A.cs#two -->\n```csharp\nint a;\n```\n", 2)]
    [InlineData("<!-- include: samples/A.cs#three -->\n```csharp\nint a;\n```\n", 1)]
    [InlineData("<!-- include: samples/B.cs -->\n```csharp\nint a;\n```\n", 1)]
    [InlineData("text\n```csharp\nint a;\n```\n", 2)]
    [InlineData("text\n```sh\nls\n```\n", 0)]
    public void Stale_Shapes_AreToldAndRenewed(string text, int line)
    {
        SourceFile code = Offender.At("samples/A.cs", "// docs: two\nint a;\n// end\n{\n    // docs: two\n"
            + "        b();\n    // end\n    // docs: one\n    c();\n    // end\n}\n");
        SourceFile document = Offender.At("docs/a.md", text);

        Assert.Equal(line == 0 ? [] : [line], SnippetRules.Stale(document, [code]).Select(found => found.Line));
        if (text.Contains("#two", StringComparison.Ordinal))
        {
            Assert.Empty(SnippetRules.Stale(Offender.At("docs/a.md", SnippetRules.Renewed(document, [code])), [code]));
        }
    }

    [Fact]
    public void Unused_RegionOfNoDocument_IsTold()
    {
        SourceFile code = Offender.At(
            "samples/Snippets/A.cs", "// docs: one\na();\n// end\n// docs: two\nb();\n// end\n");
        SourceFile document = Offender.At(
            "README.md", "<!-- include: samples/Snippets/A.cs#two -->\n```csharp\nb();\n```\n");

        Assert.Equal(1, Assert.Single(SnippetRules.Unused([code, document])).Line);
    }
}
