using System.Globalization;
using Spate.Cli.Serve;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Test;
using Spate.Cli.Traffic;
using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;

namespace Spate.CliTests.Host;

/// <summary>What the lines of intervals say of the CPUs: the busiest, what it did, where the run has work.</summary>
public sealed class HostCpuTextTests
{
    private const string Busiest = @" 3: 97 % +63 % softirq ";
    private const string Places = " interrupts 3, receive 0-1$";

    private static readonly CpuReport[] Cores =
    [
        new() { Cpu = 0, BusyPercent = 50, UserPercent = 50, Roles = ["receive"] },
        new() { Cpu = 1, BusyPercent = 40, UserPercent = 40, Roles = ["receive"] },
        new()
        {
            Cpu = 3,
            BusyPercent = 97,
            UserPercent = 6,
            SystemPercent = 30,
            SoftirqPercent = 61,
            IdlePercent = 3,
            Roles = ["interrupts"],
        },
        new() { Cpu = 9, BusyPercent = 10, UserPercent = 10 },
    ];

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Traffic_Interval_NamesTheBusiestCpuItsPartAndTheRolesOfCpus(bool isReceiver)
    {
        string[] lines = Lines(writer => new TrafficText(writer, isReceiver).WriteInterval(
            new TrafficInterval(Interval(Cores), [new FlowInterval("1", 5, 320, Lost: null)], FlowCount: 1)));

        Assert.Matches("busiest +main use .*CPUs of this run$", lines[0]);
        Assert.Matches(Busiest, lines[1]);
        Assert.Matches(Places, lines[1]);
        Assert.DoesNotContain("softirq", lines[2], StringComparison.Ordinal);
        Assert.DoesNotContain("receive", lines[2], StringComparison.Ordinal);
    }

    [Fact]
    public void Test_Interval_NamesTheBusiestCpuItsPartAndTheRolesOfCpus()
    {
        string[] lines = Lines(static writer => new TestText(writer).WriteInterval(
            new TrafficInterval(Interval(Cores), [], FlowCount: 0), isReceived: true));

        Assert.Matches(Busiest, lines[1]);
        Assert.Matches(Places, lines[1]);
    }

    [Fact]
    public void Serve_IntervalWithoutATerminal_NamesTheBusiestCpuItsPartAndTheRolesOfCpus()
    {
        string[] lines = Lines(
            static writer => new ServeText(writer).WriteInterval(new ServeInterval(Interval(Cores), 0)));

        Assert.Matches(Busiest, lines[1]);
        Assert.Matches(Places, lines[1]);
    }

    [Fact]
    public void Serve_IntervalOnATerminal_NamesThemInTheHeadline()
    {
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        using (var text = new ServeText(
            new TerminalWriter(output, static () => new TerminalSize(Columns: 200, Rows: 24))))
        {
            text.WriteInterval(new ServeInterval(Interval(Cores), 0));
        }

        Assert.Contains(
            ", busiest CPU 3: 97 % (63 % softirq), interrupts 3, receive 0-1, kernel drops",
            output.ToString(),
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0, " - +- +-$")]
    [InlineData(1, " 9: 10 % +100 % user +-$")]
    public void Traffic_IntervalWithoutCpusOrRoles_SaysThatNoneAreKnown(int count, string expected) => Assert.Matches(
        expected,
        Lines(writer => new TrafficText(writer, isReceiver: false).WriteInterval(
            new TrafficInterval(Interval([.. Cores.TakeLast(count)]), [], FlowCount: 0)))[1]);

    [Theory]
    [InlineData(80)]
    [InlineData(60)]
    public void Traffic_NarrowTerminal_LeavesThePartsOutBeforeTheBusiestCpu(int columns)
    {
        string[] lines = Lines(
            static writer => new TrafficText(writer, isReceiver: true).WriteInterval(
                new TrafficInterval(Interval(Cores), [], FlowCount: 0)),
            columns);

        Assert.StartsWith("left out: ", lines[0], StringComparison.Ordinal);
        Assert.Contains("CPUs of this run", lines[0], StringComparison.Ordinal);
        Assert.All(lines, line => Assert.InRange(line.Length, 0, columns - 1));
        Assert.Equal(columns >= 80, lines.Any(static line => line.Contains("3: 97 %", StringComparison.Ordinal)));
    }

    private static IntervalReport Interval(CpuReport[] cores) =>
        new() { Seconds = 1, Datagrams = 10, Bytes = 640, CpuPercent = 7, Cores = cores };

    private static string[] Lines(Action<TerminalWriter> write, int columns = 0)
    {
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        write(new TerminalWriter(
            output, columns > 0 ? () => new TerminalSize(columns, Rows: 24) : null, TerminalStyle.Dumb));
        return output.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }
}
