using System.Globalization;
using Spate.Cli.Host;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Watch;
using Spate.Measurement.HostUse;

namespace Spate.CliTests.Watch;

public sealed class WatchTextTests
{
    private const string Hostile = "e\u001b[2J\u202e";

    [Theory]
    [InlineData(1)]
    [InlineData(20)]
    [InlineData(40)]
    [InlineData(80)]
    public void Write_Terminal_NoLineIsWiderAndTheBlockIsNoHigher(int columns)
    {
        const int Rows = 12;
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        var writer = new TerminalWriter(output, () => new TerminalSize(columns, Rows), TerminalStyle.NoColor);
        using (var text = new WatchText(writer))
        {
            text.WriteInterval(Report());
            output.GetStringBuilder().Clear();
            text.WriteInterval(Report());
        }

        string[] lines = output.ToString().Split("\u001b[J")[1].Split(Environment.NewLine);
        Assert.InRange(lines.Length - 1, 1, Rows - 1);
        Assert.All(lines[..^1], line => Assert.True(line.Length <= Math.Max(1, columns - 1), line));
    }

    [Fact]
    public void Write_Colors_MarksWhatGrewInRed()
    {
        string output = Write(new TerminalSize(100, 40), TerminalStyle.Full);

        Assert.Contains("\u001b[31m! UDP UdpInErrors +5 (5/s)\u001b[0m", output, StringComparison.Ordinal);
    }

    [Fact]
    public void Write_HostileNames_AreEscaped()
    {
        string output = Write(size: null, TerminalStyle.Full);

        Assert.DoesNotContain('\u001b', output);
        Assert.DoesNotContain('\u202e', output);
        Assert.Contains(@"port 9999 (e\u001b[2J\u202e): dropped 5", output, StringComparison.Ordinal);
    }

    [Fact]
    public void Write_SameProblemTwice_IsExplainedOnce()
    {
        string output = Write(size: null, TerminalStyle.Full);

        Assert.Equal(2, output.Split("1.0 s ! UDP UdpInErrors +5 (5/s)").Length - 1);
        Assert.Equal(1, output.Split("problem: socket-drops").Length - 1);
        Assert.Equal(1, output.Split("UdpInErrors: what it means").Length - 1);
        Assert.Contains("1.0 s CPU 1: busy 95 %, user 5.0, system 0, softirq 90", output, StringComparison.Ordinal);
        Assert.Contains(", full", output, StringComparison.Ordinal);
    }

    [Fact]
    public void Write_NothingGrew_SaysSo()
    {
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        using var text = new WatchText(new TerminalWriter(output));
        WatchReport quiet = Report() with { Counters = [], Sockets = [], Checks = [], Problems = 0 };

        text.WriteInterval(quiet);
        text.WriteSummary(quiet);

        Assert.Contains("1.0 s nothing grew", output.ToString(), StringComparison.Ordinal);
        Assert.Contains("no counter of losses", output.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain('!', output.ToString());
    }

    private static string Write(TerminalSize? size, TerminalStyle style)
    {
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        using var text = new WatchText(
            size is { } known ? new TerminalWriter(output, () => known, style) : new TerminalWriter(output));
        text.WriteInterval(Report());
        text.WriteInterval(Report());
        return output.ToString();
    }

    private static WatchReport Report() => new()
    {
        SpateVersion = "1.0.0",
        Kernel = "Linux 6.18.0",
        Profile = "10g",
        Interval = 1,
        Seconds = 1,
        Problems = 1,
        Interfaces =
        [
            .. Enumerable.Range(0, 30).Select(static number => new WatchInterface
            {
                Name = $"eth{number}", RxPackets = 5, RxPacketsPerSecond = 5, RxBitsPerSecond = 40_000,
            }),
            new WatchInterface { Name = Hostile, RxPackets = 9 },
        ],
        Cores = [new CpuReport { Cpu = 1, BusyPercent = 95, UserPercent = 5, SoftirqPercent = 90, IdlePercent = 5 }],
        FullCpus = [1],
        Counters = [new WatchCounter("UDP", "UdpInErrors", 5, 5, "what it means")],
        Sockets = [new WatchSocket(9999, Hostile, 8000, 8192, 5, 5)],
        Checks =
        [
            new FindingReport(
                "socket-drops", Interface: null, "problem", "5 dropped", "0", "It is full.", Command: null, Undo: null,
                Growth: 5),
        ],
    };
}
