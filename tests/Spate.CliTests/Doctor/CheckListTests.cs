using Spate.Cli.Host;
using Spate.HostTuning.Checks;

namespace Spate.CliTests.Doctor;

/// <summary>The checks of the code, of the help and of the page that explains them are the same.</summary>
public sealed class CheckListTests
{
    private const string FirstChecks = "## Checks of";

    private const string Guide = "docs/tune/tuning.md";

    // What a section quotes to be run changes something, unless it only starts a program.
    private static readonly string[] Changing =
    [
        "sysctl -w", "echo", "ethtool -G", "ethtool -K", "ethtool -L", "ethtool -C", "ethtool -A", "ethtool -N",
        "tc qdisc replace", "ip link set", "systemctl", "nft add",
    ];

    [Fact]
    public async Task Help_OfDoctor_ListsEveryCheckInItsOrder()
    {
        ToolResult help = await Tool.RunAsync("doctor", "--help");

        string list = help.Output[help.Output.IndexOf("\nChecks, ", StringComparison.Ordinal)..];
        string[] ids = list[(list.IndexOf(":\n", StringComparison.Ordinal) + 1)..]
            .Split([',', ' ', '\n'], StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(HostExamination.CheckIds, ids);
        Assert.All(list.Split('\n'), static line => Assert.True(line.Length <= 80, line));
    }

    [Fact]
    public void Page_OfTuning_HasAHeadingForEachCheckAndNoOther() => Assert.Equal(
        HostExamination.CheckIds.Order(StringComparer.Ordinal),
        ReadSections().Keys.Order(StringComparer.Ordinal),
        StringComparer.Ordinal);

    [Fact]
    public void Page_CheckWithACommandThatChangesTheHost_NamesItsUndoAndItsCost() => Assert.All(
        ReadSections().Where(static one => one.Value.Split('`').Any(static quoted =>
            Changing.Any(start => quoted.StartsWith(start, StringComparison.Ordinal)))),
        static one =>
        {
            Assert.True(one.Value.Contains("undo", StringComparison.OrdinalIgnoreCase), $"{one.Key} has no undo");
            Assert.True(one.Value.Contains("Cost", StringComparison.Ordinal), $"{one.Key} has no cost");
        });

    /// <summary>The text below each heading of a check; line breaks are blanks.</summary>
    private static Dictionary<string, string> ReadSections()
    {
        string page = File.ReadAllText(Path.Combine(RepositoryTop.Path, Guide));
        return page[page.IndexOf(FirstChecks, StringComparison.Ordinal)..]
            .Split("\n#")
            .Skip(1)
            .Where(static section => section.StartsWith("## ", StringComparison.Ordinal))
            .Select(static section => section["## ".Length..].Split('\n', 2))
            .ToDictionary(
                static parts => parts[0], static parts => parts[1].Replace('\n', ' '), StringComparer.Ordinal);
    }
}
