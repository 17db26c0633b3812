using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Sweep;
using Spate.Cli.Comparison;
using Spate.Cli.Shell;
using Spate.HostTuning.Placement;

namespace Spate.Tests.Cli.Bench.Sweep;

/// <summary>The choice among placements whose true differences are known.</summary>
public sealed class SweepBenchTests : IDisposable
{
    private static readonly CpuTrial[] Trials =
    [
        new([0, 1], "the default"), new([1, 0], "ends exchanged"), new([0, 0], "one CPU for both"),
        new([1, 1], "one CPU for both"),
    ];

    private readonly List<string> _order = [];
    private readonly MadeUpCourse _course = new();

    public void Dispose() => _course.Dispose();

    [Fact]
    public void Execute_OneIsFaster_IsNamedAfterASecondRun()
    {
        SweepReport report = Sweep(new FakeSubject(seed: 1) { Factors = { ["1,0"] = 1.2, ["0,0"] = 0.5 } });

        Assert.Equal("1,0", report.Best);
        Assert.Equal("0,1", report.Default);
        Assert.Matches(
            @"^--cpu 1,0 is (1[5-9]|2[0-5]) % faster than the default 0,1 \(95 %: [0-9.]+ to [0-9.]+\)$",
            report.Conclusion);
        Assert.Equal(
            ["0,1", "1,0", "0,0", "1,1"], report.Rows.Select(static row => row.Cpu), StringComparer.Ordinal);
        Assert.Equal(
            [SweepRow.Default, CompareRow.Better, CompareRow.Worse],
            report.Rows.Take(3).Select(static row => row.Verdict),
            StringComparer.Ordinal);
        Assert.Equal(["0,1", "1,0"], report.Repeated.Select(static row => row.Cpu), StringComparer.Ordinal);
        Assert.Equal(20, report.Repeated[1].DifferencePercent!.Value, tolerance: 6);
        Assert.All(
            report.Rows.Concat(report.Repeated),
            static row => Assert.True(row.Samples.Length >= ReportComparison.MinSamples));
    }

    [Fact]
    public void Execute_EveryPlacement_HasALimitOfItsOwn()
    {
        SweepReport report = Sweep(new FakeSubject(seed: 1) { Factors = { ["1,0"] = 1.2 } });

        Assert.Equal(
            ["--cpu 0,1", "--cpu 1,0", "--cpu 0,0", "--cpu 1,1", "again --cpu 0,1", "again --cpu 1,0"],
            report.Limits.Select(static limit => limit.Row),
            StringComparer.Ordinal);
        Assert.Equal(report.Limits, report.Rows.Concat(report.Repeated).Select(report.FindLimit));
    }

    [Fact]
    public void Execute_OfTwoThatAreFaster_TheFasterIsMeasuredAgain()
    {
        SweepReport report = Sweep(new FakeSubject(seed: 2) { Factors = { ["1,0"] = 1.2, ["1,1"] = 1.5 } });

        Assert.Equal("1,1", report.Best);
        Assert.Equal(["0,1", "1,1"], report.Repeated.Select(static row => row.Cpu), StringComparer.Ordinal);
    }

    [Fact]
    public void Execute_ACost_IsBetterWhenItIsLower()
    {
        SweepReport report = Sweep(
            new FakeSubject(seed: 3, isCost: true) { Factors = { ["1,0"] = 0.8, ["1,1"] = 1.5 } });

        Assert.Equal("1,0", report.Best);
        Assert.Matches(@"^--cpu 1,0 is (1[5-9]|2[0-5]) % cheaper than the default 0,1 \(95 %: ", report.Conclusion);
        string[] ends = report.Conclusion.Split("(95 %: ")[1].TrimEnd(')').Split(" to ");
        Assert.True(
            double.Parse(ends[0], System.Globalization.CultureInfo.InvariantCulture)
            < double.Parse(ends[1], System.Globalization.CultureInfo.InvariantCulture),
            report.Conclusion);
    }

    [Fact]
    public void Execute_FasterInTheFirstRunOnly_IsNotNamed()
    {
        SweepReport report = Sweep(new FakeSubject(seed: 4) { Factors = { ["1,0"] = 1.2 }, IsAlikeLater = true });

        Assert.Null(report.Best);
        Assert.Equal(2, report.Repeated.Length);
        Assert.StartsWith(
            "no placement is proven better than the default 0,1: --cpu 1,0 was ",
            report.Conclusion,
            StringComparison.Ordinal);
        Assert.EndsWith(
            " % faster at first, but not in the second run", report.Conclusion, StringComparison.Ordinal);
    }

    [Fact]
    public void Execute_PlacementsThatAreAlike_AreNamedInOneOfAHundredAtMost()
    {
        int seeds = TestWidth.Of(200, full: 1000);
        int named = 0;
        int shown = 0;
        for (int seed = 1; seed <= seeds; seed++)
        {
            SweepReport report = Sweep(new FakeSubject(seed));
            if (report.Best is not null) named++;

            if (report.Repeated.Length > 0) shown++;
        }

        TestContext.Current.TestOutputHelper?.WriteLine(
            $"seeds 1 to {seeds}: better at first in {shown}, named in {named}");

        // Three placements beside the default, each better by chance in 1 of 40.
        Assert.InRange(shown, 1, seeds / 6);
        Assert.InRange(named, 0, seeds / 100);
    }

    [Fact]
    public void Execute_SmallDifference_IsFoundInMostSweeps()
    {
        int seeds = TestWidth.Of(40, full: 100);
        int named = Enumerable.Range(1, seeds).Count(
            seed => Sweep(new FakeSubject(seed) { Factors = { ["1,0"] = 1.06 } }).Best is "1,0");

        TestContext.Current.TestOutputHelper?.WriteLine($"6 % among 3 % of noise: named in {named} of {seeds}");
        Assert.InRange(named, seeds * 9 / 10, seeds);
    }

    [Fact]
    public void Execute_Rounds_AreInterleaved()
    {
        _ = Sweep(new FakeSubject(seed: 5));

        string[] forth = ["0,1", "1,0", "0,0", "1,1"];
        Assert.Equal(
            [.. forth, .. forth.Reverse(), .. forth, .. forth.Reverse()], _order.Take(16), StringComparer.Ordinal);
    }

    [Fact]
    public void Execute_InterruptedInTheSecondRun_NamesNothing()
    {
        _course.OnStep = step =>
        {
            if (step.RowName.StartsWith("again ", StringComparison.Ordinal) && step.Round == 2) _course.Interrupt();
        };

        SweepReport report = Sweep(new FakeSubject(seed: 6) { Factors = { ["1,0"] = 1.5 } });

        Assert.True(report.Interrupted);
        Assert.Null(report.Best);
        Assert.Empty(report.Repeated);
        Assert.EndsWith(", but a second run is missing", report.Conclusion, StringComparison.Ordinal);
    }

    [Fact]
    public void Execute_PlacementThatFails_IsLeftOutWithItsReason()
    {
        SweepReport report = Sweep(new FakeSubject(seed: 7) { Broken = "1,0", Factors = { ["1,1"] = 2 } });

        Assert.Equal(["0,1", "0,0", "1,1"], report.Rows.Select(static row => row.Cpu), StringComparer.Ordinal);
        Assert.Equal(new BenchSkippedRow("--cpu 1,0", "it broke"), Assert.Single(report.Skipped));
        Assert.Equal("1,1", report.Best);
    }

    [Fact]
    public void Execute_DefaultThatFails_IsAnError()
    {
        string message = Assert.Throws<BenchException>(
            () => Sweep(new FakeSubject(seed: 8) { Broken = "0,1" })).Message;

        Assert.Equal("The default --cpu 0,1 could not be measured: it broke", message);
    }

    [Fact]
    public void Execute_TooShortForFiveRounds_IsRefused()
    {
        using var subject = new FakeSubject(seed: 9);
        var engine = new SweepBench(subject, Trials, _course.Begin(0.1));

        string message = Assert.Throws<BenchException>(() => engine.Execute()).Message;

        Assert.Equal("4 placements with 5 rounds each do not fit in 0.1 s; allow more time.", message);
    }

    [Fact]
    public void Execute_AMinute_IsSharedOutAmongTheRunsAndTheirRounds()
    {
        // Opening and closing take 0.1 s in the warm-up, from which the rounds are planned, and a little less in them.
        List<double> asked = [];
        using var subject = new FakeSubject(seed: 10)
        {
            Factors = { ["1,0"] = 1.5 },
            OnMeasure = duration =>
            {
                asked.Add(duration.TotalSeconds);
                _course.Take(duration.TotalSeconds + (_course.Steps[^1].Round == 0 ? 0.1 : 0.0999));
            },
        };

        SweepReport report = new SweepBench(subject, Trials, _course.Begin(60)).Execute();

        const int First = 4 * 16;
        double length = (((60 * 0.95 * 0.6) - (4 * 0.2)) / (4 * 15)) - 0.1;
        Assert.All(asked.Take(4), static seconds => Assert.Equal(0.1, seconds));
        Assert.All(asked.Take(First).Skip(4), seconds => Assert.Equal(length, seconds, tolerance: 1e-6));

        // Two placements have the longest rounds, of half a second.
        Assert.All(asked.Skip(First).Take(2), static seconds => Assert.Equal(0.1, seconds));
        Assert.All(asked.Skip(First + 2), static seconds => Assert.Equal(0.5, seconds));
        Assert.Equal((15, "1,0", First + (2 * 16)), (report.Rounds, report.Best, asked.Count));
        Assert.Equal(
            (4 * 0.2) + (4 * 15 * (length + 0.0999)) + (2 * 0.2) + (2 * 15 * 0.5999), report.Seconds, tolerance: 1e-4);
    }

    [Fact]
    public void Execute_MachineBecomesSlow_HasFewerRounds()
    {
        using var subject = new FakeSubject(seed: 11)
        {
            Factors = { ["1,0"] = 1.5 },
            OnMeasure = _ => _course.Take(_course.Steps[^1].Round == 0 ? 0.2 : 1.5),
        };

        SweepReport report = new SweepBench(subject, Trials, _course.Begin(60)).Execute();

        // A pass of four placements takes 6 of 34.2 s, and one of two 3 of the 25.8 s that are left for the second run.
        Assert.Equal((5, "1,0"), (report.Rounds, report.Best));
        Assert.All(report.Rows, static row => Assert.Equal(5, row.Samples.Length));
        Assert.Equal(8, report.Repeated[1].Samples.Length);
        Assert.Equal(0.8 + (5 * 6) + 0.4 + (8 * 3), report.Seconds, tolerance: 1e-6);
    }

    private SweepReport Sweep(FakeSubject subject)
    {
        using (subject)
        {
            subject.Order = _order;
            return new SweepBench(subject, Trials, _course.Begin(TimeSpan.FromMinutes(10))).Execute();
        }
    }
}
