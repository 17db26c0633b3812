using System.Net.Sockets;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Sockets;

/// <summary>Measures each number of sockets in turn, in interleaved rounds. Tests replace the sockets.</summary>
internal sealed class SocketsEngine(
    SocketsOptions options, int? cpu, Func<int, TimeSpan, ISocketSet> open, BenchCourse course)
{
    // Tiered compilation recompiles a method after 30 calls, twice, and in the background: only after 100 ms without
    // new methods (TC_CallCountingDelayMs).
    private const int WarmUpPasses = 3;
    private const int ModeCount = 3;

    private static readonly TimeSpan WarmUpPause = TimeSpan.FromMilliseconds(200);

    private readonly List<SocketsRow> _rows = [];
    private readonly List<SocketsCell> _measured = [];
    public SocketsReport Execute()
    {
        int cellCount = options.SocketCounts.Count * options.QueuedCounts.Count * ModeCount;
        BenchSteps steps = course.Steps(options.RoundCount, cellCount, WarmUpPasses);
        for (int i = 0; i < options.SocketCounts.Count; i++)
        {
            int count = options.SocketCounts[i];
            try
            {
                TimeSpan before = course.Budget.Elapsed;
                double share = ShareOf(count) / options.SocketCounts.Skip(i).Sum(ShareOf);
                TimeSpan until = before + (course.Budget.Left * share);
                using ISocketSet set = open(count, until);

                // The sockets take about as long to close as they took to open.
                Measure(set, until - (course.Budget.Elapsed - before), steps);
            }
            catch (SocketException e)
            {
                course.Skipped.Add($"{count} sockets", PrintableText.OneLine(e.Message));
            }
            catch (BenchException e)
            {
                course.Skipped.Add($"{count} sockets", e.Message);
            }
            catch (OperationCanceledException) when (_rows.Count > 0)
            {
                break;
            }
        }
        SocketsRow[] rows = course.RequireRows(_rows);
        var report = new SocketsReport
        {
            Rounds = rows.Max(static row => row.Samples.Length),
            Seconds = course.Budget.Elapsed.TotalSeconds,
            Rows = rows,
            Threads = [ThreadReport.At("drain", cpu)],
            Flows = rows.Max(static row => row.Sockets),
        };
        return course.Finish(report, _measured);
    }

    // A round takes longer with more sockets, but not in proportion to their number.
    private static double ShareOf(int socketCount) => 3 + Math.Log10(socketCount);

    private void Measure(ISocketSet set, TimeSpan until, BenchSteps steps)
    {
        IReadOnlyList<SocketsMode> modes = set.CreateModes(options.SizeBytes);
        SocketsCell[] cells =
        [
            .. options.QueuedCounts.SelectMany(queued => modes.Select(
                mode => new SocketsCell(set, mode, queued, options.SizeBytes, course.Time))),
        ];
        try
        {
            RunRounds(cells, until, steps);
        }
        finally
        {
            foreach (SocketsMode mode in modes) mode.Dispose();
        }
        _measured.AddRange(cells);
        _rows.AddRange(cells
            .Where(static cell => cell.IsMeasured)
            .Select(static cell => cell.ToRow()));
    }

    private void RunRounds(SocketsCell[] cells, TimeSpan until, BenchSteps steps)
    {
        var runner = new RoundRunner<SocketsCell, double>(cells, course, steps);
        TimeSpan lastPass = TimeSpan.Zero;
        for (int pass = 0; pass < WarmUpPasses; pass++)
        {
            // Another warm-up pass runs only if time remains for a round after it.
            TimeSpan before = course.Budget.Elapsed;
            if (pass > 0 && before + (2 * lastPass) > until) break;
            _ = runner.WarmUp(until, static cell => cell.Measure(), skipsLate: pass == 0);
            course.Pause(WarmUpPause);
            lastPass = course.Budget.Elapsed - before;
        }
        _ = runner.Run(options.RoundCount, until, static cell => cell.Measure());
    }
}
