using Spate.Cli.Bench.Rounds;
using Spate.Measurement.HostUse;

namespace Spate.Cli.Bench.Designs;

/// <summary>Runs interleaved rounds of all rows. Tests replace <paramref name="runRound"/>.</summary>
internal sealed class DesignEngine(
    DesignOptions options,
    int? generatorCpu,
    double nanosecondsPerWorkRound,
    Func<DesignCell, long, TimeSpan, DesignMeasurement> runRound,
    BenchCourse course)
{
    // Enough datagrams for tiered compilation to optimise the loops.
    private const long MinWarmUpDatagrams = 100_000;
    private const long MaxWarmUpDatagrams = 250_000;
    private const int WarmUpShare = 4;

    // The warm-up takes at most a quarter of the time.
    private const int WarmUpTimeShare = 4;

    private const int MinRounds = 3;

    public DesignsReport Execute(IReadOnlyList<DesignTarget> targets)
    {
        DesignTarget[] available =
            [.. targets.Where(target => course.Skipped.IsAvailable(target.Name, target.UnavailableReason))];
        DesignCell[] cells = [.. options.ThreadCounts.SelectMany(threads => options.WorkRounds.SelectMany(
            work => available.Select(target => new DesignCell(target, threads, work, options))))];
        int roundCount = RunRounds(cells);
        DesignCell[] measured = course.RequireRows(cells.Where(static cell => cell.IsMeasured));
        DesignRow[] rows = [.. measured.Select(static cell =>
            DesignRow.Of(cell.Target, cell.ThreadCount, cell.WorkRounds, cell.Rounds))];
        DesignMeasurement[] rounds = [.. measured.SelectMany(static cell => cell.Rounds)];
        var report = new DesignsReport
        {
            Rounds = roundCount,
            Seconds = course.Budget.Elapsed.TotalSeconds,
            SizeBytes = options.SizeBytes,
            DatagramsPerRound = options.RoundDatagrams,
            NanosecondsPerWorkRound = nanosecondsPerWorkRound,
            Notes = [.. rows.Zip(measured, NotesOf).SelectMany(static notes => notes).Distinct(StringComparer.Ordinal)],
            Rows = rows,
            Threads =
            [
                ThreadReport.At("send", generatorCpu),
                .. options.ServerCpus.Select(static cpu => ThreadReport.At("receive", cpu)),
            ],
            Flows = options.FlowCount ?? options.ThreadCounts.Max(),
            GsoFallbacks = rounds.Sum(static round => round.GsoFallbacks),
            BufferAskedBytes = options.BufferBytes,
            BufferGrantedBytes = rounds.Max(static round => round.BufferGrantedBytes),
        };
        return course.Finish(report, cells);
    }

    private IEnumerable<string> NotesOf(DesignRow row, DesignCell cell) =>
        DesignNotes.Of(row, cell.Rounds, options.RoundDatagrams);

    private int RunRounds(DesignCell[] cells)
    {
        int cellCount = Math.Max(1, cells.Length);
        var runner = new RoundRunner<DesignCell, DesignMeasurement>(
            cells, course, course.Steps(options.RoundCount, cells.Length));
        long all = options.RoundDatagrams;
        long warmUp = Math.Min(all, Math.Clamp(all / WarmUpShare, MinWarmUpDatagrams, MaxWarmUpDatagrams));
        TimeSpan sending = options.Budget / (WarmUpTimeShare * cellCount);
        _ = runner.WarmUp(options.Budget, cell => runRound(cell, warmUp, sending));

        // A round that would take too long has fewer datagrams, so that the median has enough rounds.
        sending = course.Budget.Left / (Math.Min(MinRounds, options.RoundCount) * cellCount);
        return runner.Run(options.RoundCount, options.Budget, cell => runRound(cell, all, sending));
    }
}
