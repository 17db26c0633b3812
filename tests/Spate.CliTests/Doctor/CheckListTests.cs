using System.Text;
using Spate.Cli.Host;
using Spate.HostTuning.Checks;

namespace Spate.CliTests.Doctor;

/// <summary>The checks of the code, of the help and of the page that explains them are the same.</summary>
public sealed class CheckListTests
{
    private const string FirstChecks = "## Checks of";
    private const string Page = "docs/tune/checks.md";
    private const string Begin = "<!-- checks -->";
    private const string End = "<!-- end -->";
    private const string Renewal = "SPATE_UPDATE_DOCS";

    // A quoted command changes something, unless it only starts a program.
    private static readonly string[] Changing =
    [
        "sysctl -w", "echo", "ethtool -G", "ethtool -K", "ethtool -L", "ethtool -C", "ethtool -A", "ethtool -N",
        "tc qdisc replace", "ip link set", "systemctl", "nft add",
    ];

    // The groups of the page, in the order of the catalog.
    private static readonly (string Name, IReadOnlyList<HostCheck> Checks)[] Groups =
    [
        ("sockets", CheckCatalog.Sockets),
        ("queues", CheckCatalog.Queues),
        ("firewall", CheckCatalog.Netfilter),
        ("protocols", CheckCatalog.Protocol),
        ("NICs", CheckCatalog.Cards),
        ("CPUs", CheckCatalog.Cpus),
        ("path", CheckCatalog.Paths),
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

    /// <summary>With SPATE_UPDATE_DOCS=1 the test writes the file instead, and passes.</summary>
    [Fact]
    public void Table_OfThePage_IsMadeOfTheCatalog()
    {
        string page = ReadPage();
        int begin = page.IndexOf(Begin, StringComparison.Ordinal);
        int end = page.IndexOf(End, StringComparison.Ordinal);
        Assert.True(begin >= 0 && begin < end, $"{Page} has lost its lines {Begin} and {End}");

        string renewed = $"{page[..begin]}{Begin}\n\n{Table()}\n{page[end..]}";

        if (Environment.GetEnvironmentVariable(Renewal) is "1")
        {
            File.WriteAllText(Path.Combine(RepositoryTop.Path, Page), renewed);
            return;
        }

        Assert.True(
            string.Equals(renewed, page, StringComparison.Ordinal),
            $"the table of {Page} is not that of the catalog: run this with {Renewal}=1");
    }

    [Fact]
    public void Groups_OfThePage_AreThoseOfTheCatalog() => Assert.Equal(
        CheckCatalog.All, Groups.SelectMany(static group => group.Checks));

    [Fact]
    public void Page_OfChecks_HasASectionForEachInTheirOrder() => Assert.Equal(
        HostExamination.CheckIds, ReadSections().Select(static section => section.Id), StringComparer.Ordinal);

    [Fact]
    public void Page_CheckWithACommandThatChangesTheHost_NamesItsUndoAndItsCost() => Assert.All(
        ReadSections().Where(static one => one.Text.Split('`').Any(static quoted =>
            Changing.Any(start => quoted.StartsWith(start, StringComparison.Ordinal)))),
        static one =>
        {
            Assert.True(one.Text.Contains("undo", StringComparison.OrdinalIgnoreCase), $"{one.Id} has no undo");
            Assert.True(one.Text.Contains("Cost", StringComparison.Ordinal), $"{one.Id} has no cost");
        });

    private static string Table()
    {
        StringBuilder text = new("| check | group | systems | set by |\n|---|---|---|---|\n");
        foreach ((string name, IReadOnlyList<HostCheck> checks) in Groups)
        {
            foreach (HostCheck check in checks)
            {
                string systems = check.IsLinuxOnly ? "Linux" : "all";
                string setBy = check.HasSetting ? "`spate tune`" : "";
                text.Append($"| [{check.Id}](#{check.Id}) | {name} | {systems} | {setBy} |\n");
            }
        }

        return text.ToString();
    }

    private static string ReadPage() => File.ReadAllText(Path.Combine(RepositoryTop.Path, Page));

    /// <summary>The text below each heading of a check; line breaks are blanks.</summary>
    private static IEnumerable<(string Id, string Text)> ReadSections()
    {
        string page = ReadPage();
        return page[page.IndexOf(FirstChecks, StringComparison.Ordinal)..]
            .Split("\n#")
            .Skip(1)
            .Where(static section => section.StartsWith("## ", StringComparison.Ordinal))
            .Select(static section => section["## ".Length..].Split('\n', 2))
            .Select(static parts => (parts[0], parts[1].Replace('\n', ' ')));
    }
}
