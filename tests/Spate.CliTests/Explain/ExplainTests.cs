using System.Globalization;
using System.Reflection;
using Spate.Cli.Explain;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Terminal;
using Spate.HostTuning.Checks;

namespace Spate.CliTests.Explain;

public sealed class ExplainTests
{
    private const string Markdown = """
        ## A `heading`

        A paragraph of [two
        lines](page.md#anchor) with **some** `code`, longer than the terminal is wide.

        - an entry
        - another entry, whose length is that of more than one line of it

        | name | meaning | unit |
        |---|---|---|
        | `a\|b` | one of the two | ms |
        | c |  | s |

        <!-- include: file.cs#region -->
        ```mermaid
        flowchart TD
        ```

        ```sh
        spate doctor --seconds 30 --target 192.0.2.1 --all --json -
        ```
        """;

    [Fact]
    public async Task Explain_WithoutATopic_ListsPagesWithTheirTopics()
    {
        ToolResult result = await Tool.RunAsync("explain");

        Assert.Equal((0, ""), (result.ExitCode, result.Error));
        Assert.Contains("tuning: Tuning\n", result.Output, StringComparison.Ordinal);
        Assert.Contains(" rmem-max,", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Explain_OfACheck_ShowsItsSectionAndNoOther()
    {
        ToolResult result = await Tool.RunAsync("explain", "wmem-max");

        Assert.Equal((0, ""), (result.ExitCode, result.Error));
        Assert.StartsWith("WMEM-MAX\n", result.Output, StringComparison.Ordinal);
        Assert.Contains("net.core.wmem_max", result.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("SOCKET-DROPS", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Explain_OfAnUnknownTopic_NamesNearOnes()
    {
        ToolResult result = await Tool.RunAsync("explain", "rmemma");

        Assert.Equal((2, ""), (result.ExitCode, result.Output));
        Assert.Contains("did you mean rmem-max? ", result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Topics_ThatTheToolNames_AreThere()
    {
        IEnumerable<string> named = typeof(DocsAnchor).GetFields(BindingFlags.Public | BindingFlags.Static)
            .Select(static field => (string?)field.GetValue(null))
            .OfType<string>()
            .Select(static command => command["spate explain ".Length..])
            .Concat(HostExamination.CheckIds);

        Assert.All(named, static topic => Assert.NotNull(Documentation.Find(topic)));
    }

    [Fact]
    public void Topics_OfAllPages_AreUnique()
    {
        string[] topics = [.. Documentation.Pages.SelectMany(static page => page.Topics.Prepend(page.Name))];

        Assert.Equal(topics.Distinct(StringComparer.OrdinalIgnoreCase), topics, StringComparer.Ordinal);
    }

    [Fact]
    public void Write_EachKindOfBlock_FitsTheTerminal()
    {
        using var output = new StringWriter(CultureInfo.InvariantCulture) { NewLine = "\n" };

        MarkdownText.Write(Markdown.Split('\n'), new TerminalWriter(output, static () => new TerminalSize(41, 24)));

        Assert.Equal(
            """
            A HEADING

            A paragraph of two lines with some code,
            longer than the terminal is wide.

              - an entry
              - another entry, whose length is that
              of more than one line of it

              a|b: meaning: one of the two; unit: ms
              c: unit: s

            (The page has a diagram here.)

                spate doctor --seconds 30 --target 192.0.2.1 --all --json -

            """.ReplaceLineEndings("\n"),
            output.ToString(),
            ignoreLineEndingDifferences: true);
    }
}
