using Spate.Build.Website;

namespace Spate.RepoTests.Website;

/// <summary>Links, names and order of the pages of the site.</summary>
public sealed class PageLinksTests
{
    [Theory]
    [InlineData("[a](b.md#c) and [`d`](e/f.cs)", "[a](<b.md>#c) and [`d`](<e/f.cs>)")]
    [InlineData("![a](b.svg \"c\")", "![a](<b.svg> \"c\")")]
    [InlineData("<img src=\"a.svg\">", "<img src=\"<a.svg>\">")]
    [InlineData("[a]: b.md", "[a]: <b.md>")]
    [InlineData("[a](https://b.md) [c](#d) `[e](f.md)`", "[a](https://b.md) [c](#d) `[e](f.md)`")]
    [InlineData("```\n[a](b.md)\n```\n[c](d.md)", "```\n[a](b.md)\n```\n[c](<d.md>)")]
    public void Rewrite_RelativeLinks_HaveNewTargets(string page, string expected) =>
        Assert.Equal(expected, PageLinks.Rewrite(page, path => $"<{path}>"));

    [Fact]
    public void OfDocs_Pages_StandAsTheMapLinksThem()
    {
        Dictionary<string, string> titles = new()
        {
            ["README.md"] = "Front",
            ["docs/README.md"] = "Map",
            ["docs/a/b.md"] = "B",
            ["docs/a/c.md"] = "C",
            ["docs/d.md"] = "D",
            ["docs/e/f.md"] = "F",
        };

        string contents = SiteContents.OfDocs(titles, "[d](d.md) [c](a/c.md#x) [none](none.md)");

        Assert.Equal(
            """
            - name: "Map"
              href: index.md
            - name: "D"
              href: d.md
            - name: A
              items:
              - name: "C"
                href: a/c.md
              - name: "B"
                href: a/b.md
            - name: E
              items:
              - name: "F"
                href: e/f.md

            """,
            contents);
    }

    [Theory]
    [InlineData("docs/README.md", "docs/index.md")]
    [InlineData("../README.md", "../index.md")]
    [InlineData("docs/a.md", "docs/a.md")]
    public void Renamed_Readme_IsAnIndex(string path, string expected) =>
        Assert.Equal(expected, SitePages.Renamed(path));

    [Fact]
    public void TitleOf_Page_IsItsHeadingWithoutMarks() =>
        Assert.Equal("Measure with spate test", SiteContents.TitleOf("\n# Measure with `spate test`\ntext"));
}
