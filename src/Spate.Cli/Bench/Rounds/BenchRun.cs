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
    protected RoundRunner<TCell, TRound> Runner(
        int roundCount, IReadOnlyList<TCell>? cells = null, bool needsEveryCell = false, int otherSteps = 0)
    {
        cells ??= Cells;
        BenchSteps steps = Course.Steps(roundCount, cells.Count, otherCount: otherSteps);
        return new RoundRunner<TCell, TRound>(cells, Course, steps) { NeedsEveryCell = needsEveryCell };
    }
}
