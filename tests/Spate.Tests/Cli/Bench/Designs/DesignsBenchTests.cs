using Spate.Cli.Bench.Designs;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;

namespace Spate.Tests.Cli.Bench.Designs;

/// <summary>The report of rounds whose counts and times are known.</summary>
public sealed class DesignsBenchTests : IDisposable
{
    private static readonly DesignTarget[] Targets = [DesignTarget.All[0], DesignTarget.All[1]];

    private readonly MadeUpCourse _course = new();
    private readonly List<(long Count, double Seconds)> _asked = [];

    public void Dispose() => _course.Dispose();

    [Fact]
    public void Execute_TwoDesignsWithTwoAmountsOfWork_HasARowOfEach()
    {
        DesignsReport report = Execute(Options(count: 300, seconds: 100, work: [0, 7]), cell =>
            DesignRowTests.Round(100, 100, cell.WorkRounds == 0 ? 1000 * (1 + (Now * Now % 3)) : 5000) with
            {
                GsoFallbacks = 1,
            });

        Assert.Equal(
            [("one-by-one", 0), ("drain", 0), ("one-by-one", 7), ("drain", 7)],
            report.Rows.Select(static row => (row.Design, row.WorkRounds)));
        Assert.All(report.Rows, static row => Assert.Equal(2, row.ThreadCount));
        Assert.Equal([20, 20, 10], report.Rows[0].Samples);
        Assert.Equal((20, 50), (report.Rows[0].NanosecondsPerDatagram, report.Rows[0].SpreadPercent));
        Assert.Equal((3, 100, 2, false), (
            report.Rounds, report.DatagramsPerRound, report.Flows, report.Interrupted));
        Assert.Equal((4096, 12, 1.5), (
            report.BufferGrantedBytes, report.GsoFallbacks, report.NanosecondsPerWorkRound));
        Assert.Equal(
            ["one-by-one", "drain", "one-by-one with work 7", "drain with work 7"],
            report.Limits.Select(static limit => limit.Row),
            StringComparer.Ordinal);
        Assert.Equal(
            [
                "one-by-one", "drain", "one-by-one with work 7", "drain with work 7",
                "drain with work 7", "one-by-one with work 7", "drain", "one-by-one",
            ],
            _course.Steps.Take(8).Select(static step => step.RowName),
            StringComparer.Ordinal);
    }

    [Fact]
    public void Execute_MoreDatagramsThanThereIsTimeFor_SharesOutTheTimeAndSaysSo()
    {
        // The warm-up of two rows may send for a quarter of 80 s. A third of the 76 s after it is for each round.
        DesignsReport report = Execute(Options(count: DesignOptions.MaxCount, seconds: 80, roundCount: 5), _ =>
        {
            _course.Take(_asked.Count <= 2 ? 2 : 10);
            return DesignRowTests.Round(1_000_000, 1_000_000, 1);
        });

        Assert.Equal([(250_000, 10), (250_000, 10)], _asked.Take(2));
        Assert.Equal(DesignOptions.MaxCount / 5, _asked[2].Count);
        Assert.Equal(76.0 / 6, _asked[2].Seconds, tolerance: 1e-6);
        Assert.Equal((3, 64), (report.Rounds, report.Seconds));
        Assert.Equal(
            "one-by-one, work 0, 2 threads: sent 3,000,000 of 600,000,000 in the time available", report.Notes[0]);
    }

    [Fact]
    public void Execute_FewDatagrams_AreWarmedUpWithAsMany()
    {
        Execute(Options(count: 15, seconds: 100), static _ => DesignRowTests.Round(5, 5, 1));

        Assert.All(_asked, static asked => Assert.Equal(5, asked.Count));
    }

    [Fact]
    public void Execute_DesignThatFails_IsLeftOutWithItsReason()
    {
        DesignsReport report = Execute(Options(count: 300, seconds: 100), static cell =>
            cell.Target == Targets[1] ? throw new BenchException("it broke") : DesignRowTests.Round(100, 100, 1));

        Assert.Equal(new BenchSkippedRow("drain", "it broke"), Assert.Single(report.Skipped));
        Assert.Equal("one-by-one", Assert.Single(report.Rows).Design);
    }

    private int Now => _course.Steps[^1].Round;

    private static DesignOptions Options(long count, double seconds, int[]? work = null, int roundCount = 3) => new()
    {
        WorkRounds = work ?? [0],
        ThreadCounts = [2],
        Count = count,
        RoundCount = roundCount,
        Budget = TimeSpan.FromSeconds(seconds),
    };

    private DesignsReport Execute(DesignOptions options, Func<DesignCell, DesignMeasurement> run) => new DesignsBench(
        options,
        generatorCpu: null,
        nanosecondsPerWorkRound: 1.5,
        Targets,
        (cell, count, sending) =>
        {
            _asked.Add((count, sending.TotalSeconds));
            return run(cell);
        },
        _course.Begin(options.Budget)).Execute();
}
