using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Comparison;
using Spate.Cli.Shell;
using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Interrupts;
using Spate.Measurement.HostUse;

namespace Spate.Cli.Bench.Sweep;

/// <summary>The settings of <c>--sweep cpu</c>. The time is for both runs.</summary>
internal sealed class SweepOptions : BenchOptions
{
    public const int DefaultSizeBytes = 1380;

    public SweepOptions() => (SizeBytes, Budget) = (DefaultSizeBytes, new ThroughputOptions().Budget);

    /// <summary>Null takes <c>spate-mmsg-gso-gro</c>, or <c>spate-portable</c> where that one cannot run.</summary>
    public string? RowName { get; init; }
}

/// <summary>A placement with the values of its rounds, in the first run or again in the second.</summary>
internal sealed class SweepCell(CpuTrial trial, int sizeBytes, bool isAgain)
    : BenchCell<double>(NameOf(trial.Option, isAgain), sizeBytes)
{
    public CpuTrial Trial { get; } = trial;

    /// <summary>The name of a placement in the progress and among the limits.</summary>
    public static string NameOf(string cpuOption, bool isAgain) => $"{(isAgain ? "again " : "")}--cpu {cpuOption}";
}

/// <summary>
/// <c>--sweep cpu</c>: measures one row on several placements, see <see cref="CpuTrials"/>, in interleaved rounds, and
/// then the best of them again beside the default, the first. By chance alone one of several may look better than the
/// default, so the second run, with samples of its own, decides.
/// </summary>
internal sealed class SweepBench(SweepSubject subject, IReadOnlyList<CpuTrial> trials, BenchCourse course)
    : BenchRun<SweepCell, double, SweepReport>(course)
{
    private const int MaxRounds = 15;

    // The first run has more placements to measure. The second one has longer rounds, or more of them.
    private const double FirstShare = 0.6;

    // The rest of the budget is for starting the process and for delays of the scheduler.
    private const double UsableShare = 0.95;

    private static readonly RoundLengths Lengths = new(
        WarmUp: TimeSpan.FromMilliseconds(100),
        BenchPlan.MinRound,
        Max: TimeSpan.FromMilliseconds(500),
        MaxRounds,
        ReportComparison.MinSamples);

    private static readonly string[] DefaultRows = [SpateRow.MmsgOffloads.Name, SpateRow.Portable.Name];

    private SweepRow[] _rows = [];
    private SweepRow[] _repeated = [];
    private SweepRow? _candidate;

    /// <summary>Cancelling ends the run between two measurements, each of which takes a second at most.</summary>
    public static SweepReport OfThroughput(
        SweepOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        BenchTarget target = Find(ThroughputBench.Targets, options.RowName);
        if (target.ReceivesElsewhere)
        {
            throw new BenchException(
                $"The receiver of {target.Name} runs on pool threads, which cannot be pinned; "
                + "choose a row that receives on one thread.");
        }

        IReadOnlyList<CpuTrial> trials = FindTrials(CpuTrials.OfPair);
        using var subject = new ThroughputSubject(target, options.SizeBytes);
        return new SweepBench(subject, trials, new BenchCourse(options.Budget, progress, cancellationToken)).Execute();
    }

    public static SweepReport OfDrain(
        SweepOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        BenchTarget target = Find(DrainBench.Targets, options.RowName);
        IReadOnlyList<CpuTrial> trials = FindTrials(CpuTrials.OfThread);
        return BenchThread.Execute(
            "sweep",
            trials[0].Cpus[0],
            options.Budget + TimeSpan.FromSeconds(30),
            () =>
            {
                var course = new BenchCourse(options.Budget, progress, cancellationToken);
                using var subject = new DrainSubject(target, options.SizeBytes, course.Time);
                return new SweepBench(subject, trials, course).Execute();
            });
    }

    protected override int RunRounds()
    {
        SweepCell[] first = [.. trials.Select(trial => new SweepCell(trial, subject.SizeBytes, isAgain: false))];
        Cells.AddRange(first);
        int rounds = Run(first, Course.Budget.Total * UsableShare * FirstShare);
        _rows = SweepVerdict.Judge(first, subject);
        _candidate = SweepVerdict.BestOf(_rows, subject);
        if (_candidate is null || Course.CancellationToken.IsCancellationRequested) return rounds;

        CpuTrial best = trials.First(trial => trial.Option.Equals(_candidate.Cpu, StringComparison.Ordinal));
        SweepCell[] second = [.. ((CpuTrial[])[trials[0], best]).Select(
            trial => new SweepCell(trial, subject.SizeBytes, isAgain: true))];
        RunAgain(second);
        if (!second.Any(static cell => cell.Rounds.Count < ReportComparison.MinSamples))
        {
            _repeated = SweepVerdict.Judge(second, subject);
            Cells.AddRange(second);
        }

        return rounds;
    }

    protected override SweepReport ToReport(IReadOnlyList<SweepCell> measured)
    {
        CpuTrial standard = trials[0];
        SweepRow? proven = SweepVerdict.BestOf(_repeated, subject);
        return new SweepReport
        {
            Bench = subject.Bench,
            Row = subject.Row,
            SizeBytes = subject.SizeBytes,
            Figure = subject.Figure,
            Default = standard.Option,
            Best = proven?.Cpu,
            Conclusion = SweepVerdict.Sentence(standard.Option, _candidate, proven, _repeated.Length > 0, subject),
            Rows = _rows,
            Repeated = _repeated,
            Threads = [.. subject.Roles.Select((role, i) => ThreadReport.At(role, standard.Cpus[i]))],
            Flows = 1,
            BufferGrantedBytes = subject.BufferGrantedBytes,
        };
    }

    protected override IEnumerable<ThreadReport>? ThreadsOf(SweepCell cell) => subject.Roles.Select(
        (role, i) => new ThreadReport { Role = role, Cpu = cell.Trial.Cpus[i] });

    // The command line has checked the name of the row.
    private static BenchTarget Find(IReadOnlyList<BenchTarget> all, string? named)
    {
        string[] wanted = named is null ? DefaultRows : [named];
        BenchTarget[] found =
            [.. wanted.Select(name => all.First(one => one.Name.Equals(name, StringComparison.Ordinal)))];
        return Array.Find(found, static one => one.UnavailableReason is null)
            ?? throw new BenchException($"{found[^1].Name} cannot run: {found[^1].UnavailableReason}");
    }

    private static IReadOnlyList<CpuTrial> FindTrials(
        Func<CpuFacts, IReadOnlyList<InterfaceInterrupts>, IReadOnlyList<CpuTrial>> find)
    {
        BenchLoopback.Require();
        if (!OperatingSystem.IsLinux())
        {
            throw new BenchException("Placements cannot be tried: thread affinity is available on Linux only.");
        }

        string[] cards =
        [
            .. InterfaceFacts.ReadAll().Where(static one => one.IsUp && !one.IsLoopback).Select(static one => one.Name),
        ];
        IReadOnlyList<CpuTrial> trials = find(CpuFacts.Read(), InterfaceInterrupts.ReadAll(cards));
        return trials.Count > 1
            ? trials
            : throw new BenchException(
                "No placements to compare: this process may use only one CPU; allow it another one.");
    }

    private void RunAgain(SweepCell[] cells)
    {
        try
        {
            _ = Run(cells, Course.Budget.Total * UsableShare);
        }
        catch (Exception e) when (e is OperationCanceledException or BenchException)
        {
            // The first run is complete and is reported; the second one then proves nothing.
            Array.ForEach(cells, static cell => cell.Keep(0));
            if (e is BenchException) Course.Skipped.Add("the second run", e.Message);
        }
    }

    private int Run(SweepCell[] cells, TimeSpan until)
    {
        (int rounds, _) = Runner(MaxRounds, cells).RunTimed(
            Lengths, until, (cell, duration) => subject.Measure(cell.Trial.Cpus, duration));
        if (rounds == 0)
        {
            throw new BenchException(
                $"{cells.Length} placements with {ReportComparison.MinSamples} rounds each do not fit in "
                + $"{Course.Budget.Total.TotalSeconds:0.#} s; allow more time.");
        }

        return !cells[0].IsSkipped
            ? rounds
            : throw new BenchException(
                $"The default {cells[0].Name} could not be measured: {Course.Skipped.All[0].Reason}");
    }
}
