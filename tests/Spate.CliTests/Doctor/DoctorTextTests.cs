using System.Globalization;
using Spate.Cli.Doctor;
using Spate.Cli.Host;
using Spate.Cli.Shell.Terminal;

namespace Spate.CliTests.Doctor;

public sealed class DoctorTextTests
{
    private static readonly FindingReport Advice = new(
        "governor",
        Interface: null,
        "advice",
        "powersave on 4 CPUs",
        "performance",
        "A CPU that has slowed down is late when much comes.",
        "for n in $(seq 0 3); do echo performance > /sys/devices/system/cpu/cpu$n/cpufreq/scaling_governor; done",
        "for n in $(seq 0 3); do echo powersave > /sys/devices/system/cpu/cpu$n/cpufreq/scaling_governor; done",
        Growth: 0);

    [Fact]
    public void Write_NarrowTerminal_BreaksSentencesButNoCommand()
    {
        string[] lines = Write(Report([Advice]), columns: 40);

        Assert.Contains("  do:   " + Advice.Command, lines, StringComparer.Ordinal);
        Assert.Contains("  undo: " + Advice.Undo, lines, StringComparer.Ordinal);
        Assert.Contains("  " + Advice.Command, lines, StringComparer.Ordinal);
        Assert.All(
            lines.Where(static line => !line.Contains("for n in", StringComparison.Ordinal)),
            static line => Assert.True(line.Length < 40, line));
        Assert.Contains("  more: spate explain governor", lines, StringComparer.Ordinal);
    }

    [Fact]
    public void Write_CommandTooLongForALine_NamesTheWayToIt()
    {
        string[] lines = Write(Report([Advice with { Command = new string('x', 3000) }]), columns: null);

        Assert.Contains("  do:   too long for a line: see --json -, or spate tune", lines, StringComparer.Ordinal);
        Assert.Equal("Look at this first: governor", lines[^1]);
    }

    [Theory]
    [InlineData("advice", true)]
    [InlineData("problem", false)]
    public void Write_WorstFinding_SaysWhetherThereWasLoss(string status, bool saysNoLoss)
    {
        string[] lines = Write(Report([Advice with { Status = status }]), columns: null);

        Assert.Equal(saysNoLoss, lines.Contains("No loss found; the advice is for more traffic."));
    }

    [Fact]
    public void Write_OtherSystem_SaysInOneLineWhatIsNotLookedAt()
    {
        string[] lines = Write(Report([]) with { LeftOut = ["numa-node", "governor"] }, columns: null);

        Assert.Contains("skipped: 2 Linux-only checks", lines, StringComparer.Ordinal);
        Assert.StartsWith("No limit of UDP found here.", lines[^1], StringComparison.Ordinal);
    }

    [Fact]
    public void Write_UnknownOnes_AreNamedAndExplainedByAll()
    {
        FindingReport unknown = Advice with
        {
            Id = "pcie-link",
            Interface = "eth0",
            Status = "unknown",
            Found = "unknown",
            Wanted = "",
            Command = null,
            Undo = null,
            Reason = "It is virtual.",
        };

        string[] few = Write(Report([unknown]), columns: null);
        string[] all = Write(Report([unknown]), columns: null, showsAll: true);

        Assert.Contains(few, static line => line.StartsWith("unknown: pcie-link on eth0", StringComparison.Ordinal));
        Assert.DoesNotContain("  It is virtual.", few, StringComparer.Ordinal);
        Assert.Contains("unknown: pcie-link on eth0", all, StringComparer.Ordinal);
        Assert.Contains("  It is virtual.", all, StringComparer.Ordinal);
    }

    private static DoctorReport Report(FindingReport[] checks) => new()
    {
        SpateVersion = "1.0.0",
        Kernel = "Linux 6.18.0",
        Profile = "10g",
        Interfaces = ["eth0"],
        Seconds = 2,
        Problems = checks.Count(static one => one.Status is "problem"),
        Advices = checks.Count(static one => one.Status is "advice"),
        LeftOut = [],
        Checks = checks,
    };

    private static string[] Write(DoctorReport report, int? columns, bool showsAll = false)
    {
        using var text = new StringWriter(CultureInfo.InvariantCulture);
        var writer = columns is { } count
            ? new TerminalWriter(text, () => new TerminalSize(count, 24))
            : new TerminalWriter(text);
        DoctorText.Write(report, showsAll, writer);
        return text.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
    }
}
