using System.Globalization;
using Spate.Cli.Bench;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.HostUse;

namespace Spate.CliTests.Bench;

public sealed class LimitTextTests
{
    [Fact]
    public void Write_OneCpuLimitsAll_SaysEveryRow() => Assert.Equal(
        ["CPU 1, where receive ran, is the limit of every row"],
        Lines(showsAllCores: false, Limit("a", 64, 1), Limit("a", 1380, 1), Limit("b", 64, 1)));

    [Fact]
    public void Write_SeveralLimits_NamesTheirRows() => Assert.Equal(
        [
            "CPU 1, where receive ran, is the limit of a, b at 64 bytes",
            "CPU 1, where receive ran, is the limit (softirq) of c",
            "the quota is the limit of d",
        ],
        Lines(
            showsAllCores: false,
            Limit("a", 64, 1),
            Limit("a", 1380, 1),
            Limit("b", 64, 1),
            Limit("b", 1380, null, null),
            Limit("c", 64, 1, "softirq"),
            Limit("d", 64, null, "quota")));

    [Fact]
    public void Write_AnotherProgramHadTheCpu_SaysThatTheFiguresAreNotTheMachines() => Assert.Equal(
        ["CPU 1, where receive ran, was shared with another program, which distorts the figures of every row"],
        Lines(showsAllCores: false, Limit("a", 64, 1, "other program")));

    [Fact]
    public void WriteHead_AnotherProgramHadACpu_WarnsAboveTheTables()
    {
        Assert.Equal(
            "another program distorted the figures of 1 of 2 rows: stop it and repeat the bench",
            Head(Limit("a", 64, 1, "other program"), Limit("b", 64, 1))[^1]);
        Assert.Equal(
            "another program distorted the figures of every row: stop it and repeat the bench",
            Head(Limit("a", 64, 1, "other program"))[^1]);
        Assert.Single(Head(Limit("a", 64, 1), Limit("b", 64, null, "quota")));
    }

    [Fact]
    public void Write_NoLimit_SaysNothing() =>
        Assert.Empty(Lines(showsAllCores: false, Limit("a", 64, null, null), Limit("b", 64, null, "spin")));

    [Fact]
    public void Write_AllCores_HasATableForEachRow()
    {
        string[] lines = Lines(showsAllCores: true, Limit("a", 64, null, null), Limit("b", 64, null, null));

        Assert.Equal("a:", lines[0]);
        Assert.StartsWith("CPU  busy %", lines[1], StringComparison.Ordinal);
        Assert.Matches("^ *1 +97 +.* receive$", lines[2]);
        Assert.Equal("b:", lines[3]);
    }

    private static string[] Head(params BenchRowLimit[] limits)
    {
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        BenchText.WriteHead(new DrainReport { Rows = [], Limits = limits }, new TerminalWriter(output));
        return output.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }

    private static string[] Lines(bool showsAllCores, params BenchRowLimit[] limits)
    {
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        LimitText.Write(new DrainReport { Rows = [], Limits = limits }, showsAllCores, new TerminalWriter(output));
        return output.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }

    private static BenchRowLimit Limit(string row, int sizeBytes, int? cpu, string? cause = "work") => new()
    {
        Row = row,
        SizeBytes = sizeBytes,
        LimitCpu = cpu,
        LimitCause = cause,
        Cores =
        [
            new CpuReport { Cpu = 1, BusyPercent = 97, SystemPercent = 97, IdlePercent = 3, Roles = ["receive"] },
        ],
    };
}
