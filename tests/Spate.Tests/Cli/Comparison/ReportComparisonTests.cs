using System.Reflection;
using Spate.Cli;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.Sweep;
using Spate.Cli.Comparison;
using Spate.Cli.Doctor;
using Spate.Cli.Gateway;
using Spate.Cli.Info;
using Spate.Cli.Plan;
using Spate.Cli.Tune;
using Spate.Cli.Watch;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Cli.Comparison;

public sealed class ReportComparisonTests
{
    private static readonly double[] Hundreds = [100, 101, 99, 100.5, 99.5];

    [Fact]
    public void TryCompare_OneReportASide_JudgesItsRounds()
    {
        CompareReport report = Compare([Drain(Hundreds)], [Drain([.. Hundreds.Select(static one => one * 1.1)])]);

        CompareRow receive = Find(report, "receiveNanosecondsPerDatagram");
        Assert.Equal("rounds", report.Samples);
        Assert.Equal((5, 5), (receive.SamplesA, receive.SamplesB));
        Assert.Equal(10, receive.DifferencePercent!.Value, precision: 6);
        Assert.Equal(CompareRow.Worse, receive.Verdict);
        Assert.Null(receive.Why);

        // The report holds no rounds of the sending.
        CompareRow send = Find(report, "sendNanosecondsPerDatagram");
        Assert.Equal((1, CompareRow.Unjudged), (send.SamplesA, send.Verdict));
        Assert.Equal((0, 1, 0, 1), (report.Better, report.Worse, report.Unproven, report.Unjudged));
    }

    [Fact]
    public void TryCompare_SeveralReportsASide_JudgesOneValueOfEach()
    {
        Report[] a = [.. Hundreds.Select(static one => Drain([one, one * 7, one]))];
        Report[] b = [.. Hundreds.Select(static one => Drain([one * 0.5, one * 0.1, one * 0.5]))];

        CompareReport report = Compare(a, b);

        CompareRow receive = Find(report, "receiveNanosecondsPerDatagram");
        Assert.Equal("runs", report.Samples);
        Assert.Equal((5, 5), (receive.SamplesA, receive.SamplesB));
        Assert.Equal(-50, receive.DifferencePercent!.Value, precision: 6);
        Assert.Equal(CompareRow.Better, receive.Verdict);
    }

    [Fact]
    public void TryCompare_LargestNumbers_AreNotJudgedAndStayFinite()
    {
        double[] largest = [.. Hundreds.Select(static _ => 1.7e308), 1.7e308];

        CompareRow receive = Find(Compare([Drain(largest)], [Drain(Hundreds)]), "receiveNanosecondsPerDatagram");

        Assert.Equal((null, null, CompareRow.Unjudged), (receive.A, receive.B, receive.Verdict));
        Assert.Equal("its values are too large", receive.Why);
    }

    [Fact]
    public void TryCompare_HigherRate_IsBetter()
    {
        Report[] a = [.. Hundreds.Select(static one => Traffic((long)(one * 10), lost: 0))];
        Report[] b = [.. Hundreds.Select(static one => Traffic((long)(one * 20), lost: 0))];

        CompareReport report = Compare(a, b);

        Assert.Equal(CompareRow.Better, Find(report, "datagramsPerSecond").Verdict);
    }

    [Fact]
    public void TryCompare_FourRunsASide_HaveADifferenceButNoVerdict()
    {
        Report[] a = [.. Hundreds.Take(4).Select(static one => Drain([one]))];
        Report[] b = [.. Hundreds.Take(4).Select(static one => Drain([one * 3]))];

        CompareRow receive = Find(Compare(a, b), "receiveNanosecondsPerDatagram");

        Assert.Equal(CompareRow.Unjudged, receive.Verdict);
        Assert.Equal(200, receive.DifferencePercent!.Value, precision: 6);
        Assert.Equal("a side has 4 samples: 5 are needed", receive.Why);
    }

    [Fact]
    public void TryCompare_LossOnOneSideOnly_IsJudgedWithoutARatio()
    {
        CompareRow worse = Find(Compare(Losing([0, 0, 0, 0, 0]), Losing([30, 29, 31, 30, 1])), "lostPercent");
        CompareRow better = Find(Compare(Losing([30, 29, 31, 30, 1]), Losing([0, 0, 0, 0, 0])), "lostPercent");

        // All ranks of one side above all of the other: 2 of the 252 ways to choose 5 of 10.
        Assert.Equal((CompareRow.Worse, CompareRow.Better), (worse.Verdict, better.Verdict));
        Assert.Equal(100 * 2 / 252.0, worse.ChancePercent!.Value, precision: 9);
        Assert.Equal((5, 0), (worse.ZerosA, worse.ZerosB));
        Assert.Equal((0.0, 30.0), (worse.A, worse.B));
        Assert.Null(worse.DifferencePercent);
        Assert.Null(worse.Why);
    }

    [Theory]
    [InlineData(0, CompareRow.Unproven, 100)]
    [InlineData(3, CompareRow.Unproven, 100 * 42 / 252.0)]
    [InlineData(4, CompareRow.Worse, 100 * 12 / 252.0)]
    public void TryCompare_LossInSomeRunsOfOneSide_IsShownFromFourOfFive(int lossy, string verdict, double chance)
    {
        double[] losses = [.. Enumerable.Range(0, 5).Select(index => index < lossy ? 10.0 + index : 0)];

        CompareRow lost = Find(Compare(Losing([0, 0, 0, 0, 0]), Losing(losses)), "lostPercent");

        Assert.Equal(verdict, lost.Verdict);
        Assert.Equal(chance, lost.ChancePercent!.Value, precision: 9);
        Assert.Equal((5, 5 - lossy), (lost.ZerosA, lost.ZerosB));
    }

    [Fact]
    public void TryCompare_RateOfZeroOnOneSide_IsWorse()
    {
        Report[] none = [.. Hundreds.Select(static _ => Traffic(0, lost: 0))];
        Report[] some = [.. Hundreds.Select(static one => Traffic((long)one * 10, lost: 0))];

        Assert.Equal(CompareRow.Worse, Find(Compare(some, none), "datagramsPerSecond").Verdict);
        Assert.Equal(CompareRow.Better, Find(Compare(none, some), "datagramsPerSecond").Verdict);
    }

    [Fact]
    public void TryCompare_FourRunsOrTooManyWithZeros_HaveNoVerdict()
    {
        CompareRow few = Find(Compare(Losing([0, 0, 0, 0]), Losing([9, 9, 9, 9])), "lostPercent");
        CompareRow many = Find(Compare(Losing(new double[61]), Losing(new double[60])), "lostPercent");

        Assert.Equal((CompareRow.Unjudged, "a side has 4 samples: 5 are needed"), (few.Verdict, few.Why));
        Assert.Equal("it has values of 0, which are judged by ranks, for at most 120 samples", many.Why);
    }

    [Fact]
    public void TryCompare_SamplesOfOneSource_AreCalledDifferentInFiveOfAHundredAtMost()
    {
        const int Seeds = 1000;
        int wrong = 0;
        for (int seed = 1; seed <= Seeds; seed++)
        {
            var random = new Random(seed);
            CompareReport report = Compare(
                [Drain(Measurement.Arithmetic.LogRatioTests.Draw(random, 5, 100, 0.03))],
                [Drain(Measurement.Arithmetic.LogRatioTests.Draw(random, 5, 100, 0.03))]);
            wrong += report.Better + report.Worse;
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"seeds 1 to {Seeds}: {wrong} false verdicts");
        Assert.InRange(wrong, 0, Seeds / 20);
    }

    [Theory]
    [InlineData(5, 5)]
    [InlineData(5, 20)]
    public void TryCompare_LossOfOneSourceWithZeros_IsCalledDifferentInFiveOfAHundredAtMost(int ofA, int ofB)
    {
        const int Seeds = 1000;
        int wrong = 0;
        for (int seed = 1; seed <= Seeds; seed++)
        {
            var random = new Random(seed);
            CompareRow lost = Find(Compare(Losing(Draw(random, ofA)), Losing(Draw(random, ofB))), "lostPercent");
            wrong += lost.Verdict is CompareRow.Unproven ? 0 : 1;
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"seeds 1 to {Seeds}: {wrong} false verdicts");
        Assert.InRange(wrong, 1, Seeds / 20);

        // Half of the runs lose nothing, the others from 0 to 30 %. Each side has a 0, so that ranks judge.
        static double[] Draw(Random random, int count) =>
            [0, .. Enumerable.Range(1, count - 1).Select(_ => random.Next(2) * 30 * random.NextDouble())];
    }

    [Fact]
    public void TryCompare_OtherMachine_IsRefusedUnlessAsked()
    {
        DrainReport a = Drain(Hundreds);
        DrainReport b = Drain(Hundreds);
        (a.CpuModel, b.CpuModel) = ("Fast", "Slow");
        b.Runtime = "another";

        Assert.False(ReportComparison.TryCompare([a], [b], allowsDifferent: false, out _, out string? error));
        Assert.Equal(
            "the reports are not comparable: cpuModel is Fast and Slow; --allow-different compares them anyway",
            error);
        Assert.True(ReportComparison.TryCompare(
            [a], [b], allowsDifferent: true, out CompareReport? report, out _));
        Assert.Equal(new CompareDifference("cpuModel", "Fast", "Slow"), report.Differences[0]);
        Assert.Equal("runtime", report.Differences[1].Name);
    }

    [Fact]
    public void TryCompare_OtherRuntime_IsComparedAndNamed()
    {
        DrainReport a = Drain(Hundreds);
        DrainReport b = Drain(Hundreds);
        (a.Runtime, b.Runtime) = (".NET 9.0.1", ".NET 10.0.0");

        CompareReport report = Compare([a], [b]);

        Assert.Equal([new CompareDifference("runtime", ".NET 9.0.1", ".NET 10.0.0")], report.Differences);
    }

    [Fact]
    public void TryCompare_OtherSize_IsRefused()
    {
        TrafficReport a = Traffic(10, lost: 0);
        TrafficReport b = Traffic(10, lost: 0);
        b.SizeBytes = 1380;

        Assert.False(ReportComparison.TryCompare([a], [b], allowsDifferent: false, out _, out string? error));
        Assert.Contains("sizeBytes is 64 and 1380", error, StringComparison.Ordinal);
    }

    [Fact]
    public void TryCompare_RowsOfOneSide_AreNamedAndNotCompared()
    {
        DrainReport a = Drain(Hundreds, sizeBytes: 64);
        DrainReport b = Drain(Hundreds, sizeBytes: 65);
        a.Rows = [a.Rows[0], Drain(Hundreds, sizeBytes: 66).Rows[0]];
        b.Rows = [b.Rows[0], a.Rows[1]];

        CompareReport report = Compare([a], [b]);

        Assert.Equal(2, report.Rows.Length);
        Assert.Equal(["spate-mmsg, 64 bytes"], report.OnlyInA);
        Assert.Equal(["spate-mmsg, 65 bytes"], report.OnlyInB);
    }

    [Fact]
    public void TryCompare_NoRowInCommon_IsRefused()
    {
        Assert.False(ReportComparison.TryCompare(
            [Drain(Hundreds, sizeBytes: 64)], [Drain(Hundreds, sizeBytes: 65)], allowsDifferent: true, out _,
            out string? error));
        Assert.StartsWith("the reports have no row in common", error, StringComparison.Ordinal);
    }

    [Fact]
    public void TryCompare_RowTwiceInAReport_CountsOnce()
    {
        DrainReport a = Drain([100]);
        a.Rows = [.. Enumerable.Repeat(a.Rows[0], 9)];

        CompareRow receive = Find(Compare([a], [Drain(Hundreds)]), "receiveNanosecondsPerDatagram");

        Assert.Equal((1, CompareRow.Unjudged), (receive.SamplesA, receive.Verdict));
    }

    [Fact]
    public void TryCompare_ValuesBelowZero_HaveNoVerdict()
    {
        CompareRow receive = Find(
            Compare([Drain(Hundreds)], [Drain([-100, -101, -99, -100, -100])]), "receiveNanosecondsPerDatagram");

        Assert.Equal(
            (CompareRow.Unjudged, "a report has values below 0, which no run produces"),
            (receive.Verdict, receive.Why));
    }

    [Fact]
    public void TryCompare_ValuesBeyondMeasure_HaveNoVerdict()
    {
        CompareRow receive = Find(
            Compare([Drain([1e-300, 1e300, 1, 1, 1])], [Drain([1e300, 1e-300, 1e300, 1, 1])]),
            "receiveNanosecondsPerDatagram");

        Assert.Equal(CompareRow.Unjudged, receive.Verdict);
        Assert.Null(receive.LowPercent);
    }

    [Fact]
    public void TryCompare_OtherKindsOrNoFigures_AreRefused()
    {
        Assert.False(ReportComparison.TryCompare(
            [Drain(Hundreds)], [Traffic(1, 0)], allowsDifferent: true, out _, out string? kinds));
        Assert.Equal(
            "the reports are of different kinds, drain and receive: compare reports of one kind", kinds);
        Assert.False(ReportComparison.TryCompare(
            [new PlanReport()], [new PlanReport()], allowsDifferent: true, out _, out string? none));
        Assert.Equal("a report of kind plan has no figures to compare", none);
        Assert.False(ReportComparison.TryCompare([], [Drain(Hundreds)], allowsDifferent: true, out _, out _));
    }

    [Fact]
    public void Of_EveryKindOfReport_HasFiguresOrIsNoMeasurement()
    {
        Type[] without =
        [
            typeof(InfoReport), typeof(CompareReport), typeof(PlanReport), typeof(SweepReport),
            typeof(DoctorReport), typeof(TuneReport), typeof(WatchReport), typeof(GatewayReadReport),
        ];
        Type[] kinds = [.. typeof(Report).Assembly.GetTypes().Where(static type =>
            type.IsSubclassOf(typeof(Report)) && !type.IsAbstract && type != typeof(InfoReport))];

        Assert.NotEmpty(kinds);
        foreach (Type kind in kinds)
        {
            var report = (Report)Activator.CreateInstance(
                kind, BindingFlags.Public | BindingFlags.Instance, binder: null, args: null, culture: null)!;
            Assert.True(report.Figures is null == without.Contains(kind), kind.Name);
        }
    }

    [Fact]
    public void Serialize_Comparison_ReadsBackAlike()
    {
        CompareReport report = Compare([Drain(Hundreds)], [Drain(Hundreds)]);
        byte[] json = System.Text.Encoding.UTF8.GetBytes(ReportJson.Serialize(report));

        Assert.True(ReportKinds.Reader.TryRead(json, out Report? read, out string? error), error);
        Assert.Equal(ReportJson.Serialize(report), ReportJson.Serialize(read));
    }

    private static CompareReport Compare(IReadOnlyList<Report> a, IReadOnlyList<Report> b)
    {
        Assert.True(
            ReportComparison.TryCompare(a, b, allowsDifferent: false, out CompareReport? report, out string? error),
            error);
        return report;
    }

    private static CompareRow Find(CompareReport report, string figure) =>
        Assert.Single(report.Rows, row => row.Figure.Equals(figure, StringComparison.Ordinal));

    private static DrainReport Drain(double[] samples, int sizeBytes = 64) => new()
    {
        Rows =
        [
            new DrainRow
            {
                Name = "spate-mmsg",
                SizeBytes = sizeBytes,
                ReceiveNanosecondsPerDatagram = samples.Order().ElementAt(samples.Length / 2),
                SendNanosecondsPerDatagram = 1000,
                Samples = samples,
            },
        ],
    };

    private static Report[] Losing(double[] percents) =>
        [.. percents.Select(static percent => Traffic(1000, lost: 0) with { LostPercent = percent })];

    private static TrafficReport Traffic(long datagrams, long lost) => new()
    {
        Kind = TrafficReport.ReceiveKind,
        SizeBytes = 64,
        Datagrams = datagrams,
        Seconds = 1,
        Lost = lost,
        LostPercent = lost,
        CpuUserSeconds = 0.5,
    };
}
