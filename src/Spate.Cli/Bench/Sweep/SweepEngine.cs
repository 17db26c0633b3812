using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Comparison;
using Spate.Cli.Shell;
using Spate.HostTuning.Placement;
using Spate.Measurement.HostUse;

namespace Spate.Cli.Bench.Sweep;

/// <summary>
/// Measures placements in interleaved rounds, and then the best of them again beside the default. By chance alone one
/// of several may look better than the default, so the second run, with samples of its own, decides.
/// </summary>
internal sealed class SweepEngine(SweepSubject subject, BenchCourse course)
{
    private const int MaxRounds = 15;

    // The first run has more placements to measure. The second one has longer rounds, or more of them.
    private const double FirstShare = 0.6;

    // The rest of the budget is for starting the process and for delays of the scheduler.
    private const double UsableShare = 0.95;

    private static readonly TimeSpan WarmUpLength = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan MaxRound = TimeSpan.FromMilliseconds(500);

    private readonly TimeSpan _total = course.Budget.Total;

    /// <summary>The default is the first of the trials.</summary>
    public SweepReport Execute(IReadOnlyList<CpuTrial> trials)
    {
        SweepCell[] first = [.. trials.Select(trial => new SweepCell(trial, subject.SizeBytes, isAgain: false))];
        int rounds = Run(first, _total * UsableShare * FirstShare);
        SweepRow[] rows = SweepVerdict.Judge(first, subject);
        SweepRow? candidate = SweepVerdict.BestOf(rows, subject);
        SweepCell[] second = [];
        if (candidate is not null && !course.CancellationToken.IsCancellationRequested)
        {
            CpuTrial best = trials.First(trial => trial.Option.Equals(candidate.Cpu, StringComparison.Ordinal));
            second = [.. ((CpuTrial[])[trials[0], best]).Select(
                trial => new SweepCell(trial, subject.SizeBytes, isAgain: true))];
            RunAgain(second);
        }

        SweepRow[] repeated = second.Any(static cell => cell.Rounds.Count < ReportComparison.MinSamples)
            ? []
            : SweepVerdict.Judge(second, subject);
        return ToReport(first, repeated.Length > 0 ? second : [], rounds, rows, repeated, candidate);
    }

    private SweepReport ToReport(
        SweepCell[] first, SweepCell[] second, int rounds, SweepRow[] rows, SweepRow[] repeated, SweepRow? candidate)
    {
        CpuTrial standard = first[0].Trial;
        SweepRow? proven = SweepVerdict.BestOf(repeated, subject);
        var report = new SweepReport
        {
            Bench = subject.Bench,
            Row = subject.Row,
            SizeBytes = subject.SizeBytes,
            Figure = subject.Figure,
            Default = standard.Option,
            Best = proven?.Cpu,
            Conclusion = SweepVerdict.Sentence(standard.Option, candidate, proven, repeated.Length > 0, subject),
            Rows = rows,
            Repeated = repeated,
            Rounds = rounds,
            Seconds = course.Budget.Elapsed.TotalSeconds,
            Threads = [.. subject.Roles.Select((role, i) => ThreadReport.At(role, standard.Cpus[i]))],
            Flows = 1,
            BufferGrantedBytes = subject.BufferGrantedBytes,
        };
        return course.Finish(report, first.Concat(second), cell => subject.Roles.Select(
            (role, i) => new ThreadReport { Role = role, Cpu = ((SweepCell)cell).Trial.Cpus[i] }));
    }

    private void RunAgain(SweepCell[] cells)
    {
        try
        {
            _ = Run(cells, _total * UsableShare);
        }
        catch (Exception e) when (e is OperationCanceledException or BenchException)
        {
            // The first run is complete and is reported; the second one then proves nothing.
            Array.ForEach(cells, static cell => cell.Keep(0));
            if (e is BenchException) course.Skipped.Add("the second run", e.Message);
        }
    }

    private int Run(SweepCell[] cells, TimeSpan until)
    {
        var runner = new RoundRunner<SweepCell, double>(cells, course, course.Steps(MaxRounds, cells.Length));
        TimeSpan each = runner.WarmUp(
            until, cell => subject.Measure(cell.Trial.Cpus, WarmUpLength), skipsLate: false);
        (int rounds, TimeSpan length) = BenchBudget.Fit(
            until - course.Budget.Elapsed, cells.Length, each - WarmUpLength, MaxRounds, BenchPlan.MinRound, MaxRound);
        if (rounds < ReportComparison.MinSamples)
        {
            throw new BenchException(
                $"{cells.Length} placements with {ReportComparison.MinSamples} rounds each do not fit in "
                + $"{_total.TotalSeconds:0.#} s; name a longer time.");
        }

        rounds = runner.Run(rounds, until, cell => subject.Measure(cell.Trial.Cpus, length));
        return !cells[0].IsSkipped
            ? rounds
            : throw new BenchException(
                $"The default {cells[0].Name} could not be measured: {course.Skipped.All[0].Reason}");
    }
}
