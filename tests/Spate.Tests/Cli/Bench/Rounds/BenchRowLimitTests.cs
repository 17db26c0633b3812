using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.Rounds;
using Spate.HostTuning.Reading.Usage;
using Spate.Measurement.HostUse;

namespace Spate.Tests.Cli.Bench.Rounds;

public sealed class BenchRowLimitTests
{
    private const long Second = 1_000_000_000;

    [Fact]
    public void SetLimits_RowsOfTwoRounds_NamesTheCpuThatIsFull()
    {
        Cell full = Measured("full", Round(busySeconds: 0.95), Round(busySeconds: 0.97));
        Cell free = Measured("free", Round(busySeconds: 0.95), Round(busySeconds: 0.2));
        DrainReport report = Report(full, free);

        Assert.Equal(["full", "free"], report.Limits.Select(static limit => limit.Row), StringComparer.Ordinal);
        Assert.Equal((1, CpuLimit.WorkCause, 64), (
            report.Limits[0].LimitCpu, report.Limits[0].LimitCause, report.Limits[0].SizeBytes));
        Assert.Equal("CPU 1 is the limit: 96 % busy, 100 % of it system; drain ran there", report.Limits[0].Limit);
        Assert.Equal((null, null), (report.Limits[1].LimitCpu, report.Limits[1].LimitCause));
        Assert.Equal([0, 1], report.Limits[0].Cores.Select(static core => core.Cpu));

        report.OmitIdleCores();
        Assert.Equal([1], report.Limits[0].Cores.Select(static core => core.Cpu));
    }

    [Fact]
    public void SetLimits_ThreadsThatNobodyPlaced_CountAsTheRowsOwn()
    {
        DrainReport report = Report(Measured("pool", Round(busySeconds: 0.1, otherSeconds: 0.99)));

        Assert.Equal((0, CpuLimit.WorkCause), (report.Limits[0].LimitCpu, report.Limits[0].LimitCause));
    }

    [Fact]
    public void SetLimits_AnotherProgramOnTheCpuOfTheOnlyThread_SaysSo()
    {
        CpuTotals round = Round(busySeconds: 1, otherSeconds: 0.1, processSeconds: 0.6);

        DrainReport report = Report(Measured("shared", Used(seconds: 0.55, waitedSeconds: 0.45), round));

        Assert.Equal((1, CpuLimit.OtherCause), (report.Limits[0].LimitCpu, report.Limits[0].LimitCause));
        Assert.EndsWith(
            "; drain ran there, with 55 % of its time, and waited for it 45 % of the time", report.Limits[0].Limit);
        Assert.Equal([null, 55], report.Limits[0].Cores.Select(static core => core.OwnPercent));
    }

    [Fact]
    public void SetLimits_OnlyThreadFillsItsCpu_SaysWork()
    {
        CpuTotals round = Round(busySeconds: 1, processSeconds: 1.05);

        DrainReport report = Report(Measured("alone", Used(seconds: 0.98, waitedSeconds: 0.01), round));

        Assert.Equal((1, CpuLimit.WorkCause), (report.Limits[0].LimitCpu, report.Limits[0].LimitCause));
    }

    [Fact]
    public void SetLimits_ThreadsThatSpin_AreNoLimit()
    {
        var cell = new Cell("spinning") { Spins = true };
        cell.Add(1, Round(busySeconds: 1), default);

        BenchRowLimit limit = Assert.Single(Report(cell).Limits);

        Assert.Equal((null, CpuLimit.SpinCause), (limit.LimitCpu, limit.LimitCause));
    }

    [Fact]
    public void SetLimits_CellsThatWereSkippedOrCut_HaveTheRoundsThatCount()
    {
        Cell skipped = Measured("skipped", Round(busySeconds: 1));
        skipped.Skip();
        Cell cut = Measured("cut", Round(busySeconds: 0.1), Round(busySeconds: 0.1), Round(busySeconds: 1));
        cut.Keep(2);

        BenchRowLimit limit = Assert.Single(Report(skipped, cut).Limits);

        Assert.Equal(("cut", 10), (limit.Row, limit.Cores[1].BusyPercent));
        Assert.Equal((0, 0), (skipped.Rounds.Count, skipped.Cores.Count));
    }

    private static DrainReport Report(params Cell[] cells)
    {
        var report = new DrainReport { Rows = [], Threads = [ThreadReport.At("drain", 1)] };
        report.SetLimits(cells);
        return report;
    }

    private static Cell Measured(string name, params CpuTotals[] rounds) => Measured(name, default(ThreadUse), rounds);

    private static Cell Measured(string name, ThreadUse use, params CpuTotals[] rounds)
    {
        var cell = new Cell(name);
        foreach (CpuTotals round in rounds) cell.Add(1, round, use);
        return cell;
    }

    private static ThreadUse Used(double seconds, double waitedSeconds) => new(
        new ThreadUsage((long)(seconds * Second), (long)(waitedSeconds * Second), 0, 0), new ThreadTimes(0, 0, 1));

    private static CpuTotals Round(double busySeconds, double otherSeconds = 0, double? processSeconds = null)
    {
        var sum = new CpuTotals { Seconds = 1 };
        if (processSeconds is { } seconds) sum.Places.AddMovable((long)(seconds * Second));
        sum.Add(0, Use(otherSeconds));
        sum.Add(1, Use(busySeconds));
        return sum;
    }

    private static CpuUse Use(double seconds)
    {
        long busy = (long)(seconds * Second);
        return new CpuUse(new CpuTimes(0, busy, 0, 0, 0, Second - busy), 0);
    }

    private sealed class Cell(string name) : BenchCell<int>(name, 64);
}
