using Spate.Cli.Shell;
using Spate.Measurement.HostUse;

namespace Spate.Cli.Bench.Rounds;

/// <summary>
/// One run of a bench. A bench names its cells, divides its time among warm-up and rounds, and reports the cells that
/// were measured. The rest is common to all benches: here, and in <see cref="RoundRunner{TCell,TRound}"/>.
/// </summary>
internal abstract class BenchRun<TCell, TRound, TReport>(BenchCourse course)
    where TCell : BenchCell<TRound>
    where TReport : RoundsReport
{
    protected BenchCourse Course { get; } = course;

    /// <summary>In the order of the table; those that were skipped too.</summary>
    protected List<TCell> Cells { get; } = [];

    /// <exception cref="BenchException">No row could run, or the time is too short for any.</exception>
    public TReport Execute()
    {
        try
        {
            int rounds = RunRounds();
            TReport report = ToReport([.. Cells.Where(static cell => cell.IsMeasured)]);
            report.Rounds = rounds;
            report.Seconds = Course.Budget.Elapsed.TotalSeconds;
            return Course.Finish(report, Cells, cell => ThreadsOf((TCell)cell));
        }
        finally
        {
            Close();
        }
    }

    /// <summary>Opens the cells, warms them up and measures them; returns the number of complete rounds.</summary>
    protected abstract int RunRounds();

    /// <summary>The report of this bench, without the common parts.</summary>
    protected abstract TReport ToReport(IReadOnlyList<TCell> measured);

    /// <summary>The threads of a cell and their use. Null: those of the report.</summary>
    protected virtual IEnumerable<ThreadReport>? ThreadsOf(TCell cell) => null;

    /// <summary>Closes the sockets and tables of the rounds, also after a failure.</summary>
    protected virtual void Close()
    {
    }

    /// <summary>Measures all cells, or those named.</summary>
    /// <param name="steps">Those of a bench that reports more steps than these cells have; null for theirs.</param>
    protected RoundRunner<TCell, TRound> Runner(
        int roundCount, IReadOnlyList<TCell>? cells = null, BenchSteps? steps = null, bool needsEveryCell = false)
    {
        cells ??= Cells;
        steps ??= Course.Steps(roundCount, cells.Count);
        return new RoundRunner<TCell, TRound>(cells, Course, steps) { NeedsEveryCell = needsEveryCell };
    }
}

/// <summary>A row at one size, or under other settings: a benchmark measures each cell once per round.</summary>
/// <param name="skippedName">The row's name in the list of skipped rows; null for <paramref name="name"/>.</param>
internal abstract class BenchCell<TRound>(string name, int sizeBytes, string? skippedName = null)
{
    public string Name { get; } = name;

    public int SizeBytes { get; } = sizeBytes;

    public string SkippedName { get; } = skippedName ?? name;

    /// <summary>Whether the threads of the cell use whole CPUs on purpose, even without work.</summary>
    public bool Spins { get; init; }

    /// <summary>The measurements of the rounds, in their order; empty for a skipped cell.</summary>
    public List<TRound> Rounds { get; } = [];

    public bool IsMeasured => Rounds.Count > 0;

    public bool IsSkipped { get; private set; }

    /// <summary>What the CPUs did in each of the rounds.</summary>
    public List<CpuTotals> Cores { get; } = [];

    /// <summary>What the thread that measured used in each of the rounds.</summary>
    public List<ThreadUse> Uses { get; } = [];

    public void Add(TRound round, CpuTotals cores, ThreadUse use)
    {
        Rounds.Add(round);
        Cores.Add(cores);
        Uses.Add(use);
    }

    /// <summary>Drops all but the first rounds.</summary>
    public void Keep(int roundCount)
    {
        if (Rounds.Count <= roundCount) return;

        Rounds.RemoveRange(roundCount, Rounds.Count - roundCount);
        Cores.RemoveRange(roundCount, Cores.Count - roundCount);
        Uses.RemoveRange(roundCount, Uses.Count - roundCount);
    }

    /// <summary>Leaves the cell out from now on, and drops its rounds: some of them are not a result.</summary>
    public void Skip()
    {
        IsSkipped = true;
        Keep(0);
    }
}

/// <summary>A cell with its subject and no state of its own.</summary>
internal sealed class BenchCell<TSubject, TRound>(
    TSubject subject, string name, int sizeBytes, string? skippedName = null)
    : BenchCell<TRound>(name, sizeBytes, skippedName)
{
    public TSubject Subject { get; } = subject;
}
