using System.Net.Sockets;
using Spate.Measurement.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Bench.Sockets;

/// <summary>Measures each number of sockets in turn, its modes and queue lengths in interleaved rounds.</summary>
internal sealed class SocketsEngine(SocketsOptions options, int? cpu, CancellationToken cancellationToken)
{
    // Tiered compilation recompiles a method after 30 calls, twice, and in the background: only after 100 ms without
    // new methods (TC_CallCountingDelayMs).
    private const int WarmUpPasses = 3;
    private const int WarmUpPauseMilliseconds = 200;

    private const int ModeCount = 3;

    private readonly List<SocketsRow> _rows = [];
    private readonly List<SocketsCell> _measured = [];
    private readonly SkippedRows _skipped = new();
    private readonly BenchBudget _budget = new(options.Budget);

    public SocketsReport Execute(IProgress<BenchStep>? progress)
    {
        int cellCount = options.SocketCounts.Count * options.QueuedCounts.Count * ModeCount;
        var steps = new BenchSteps(progress, options.RoundCount, cellCount * (WarmUpPasses + options.RoundCount));
        for (int i = 0; i < options.SocketCounts.Count; i++)
        {
            int count = options.SocketCounts[i];
            try
            {
                TimeSpan before = _budget.Elapsed;
                TimeSpan until = before + (_budget.Left * ShareOf(count) / options.SocketCounts.Skip(i).Sum(ShareOf));
                using var set = new FilledSockets(count, until, _budget, cancellationToken);

                // The sockets take about as long to close as they took to open.
                Measure(set, until - (_budget.Elapsed - before), steps);
            }
            catch (SocketException e)
            {
                _skipped.Add($"{count} sockets", BenchText.OneLine(e.Message));
            }
            catch (BenchException e)
            {
                _skipped.Add($"{count} sockets", e.Message);
            }
            catch (OperationCanceledException) when (_rows.Count > 0)
            {
                break;
            }
        }
        if (_rows.Count == 0) throw _skipped.NothingRan();
        var report = new SocketsReport
        {
            Rounds = _rows.Max(static row => row.Samples.Length),
            Interrupted = cancellationToken.IsCancellationRequested,
            Seconds = _budget.Elapsed.TotalSeconds,
            Rows = [.. _rows],
            Skipped = _skipped.All,
            Threads = [ThreadReport.At("drain", cpu)],
            Flows = _rows.Max(static row => row.Sockets),
        };
        report.SetHost();
        report.SetLimits(_measured);
        return report;
    }

    // A round takes longer with more sockets, but not in proportion to their number.
    private static double ShareOf(int socketCount) => 3 + Math.Log10(socketCount);

    private void Measure(FilledSockets set, TimeSpan until, BenchSteps steps)
    {
        SocketsMode[] modes =
        [
            new PollerMode(set),
            new AwaitableMode(set, options.SizeBytes),
            new SequentialMode(set),
        ];
        SocketsCell[] cells =
        [
            .. options.QueuedCounts.SelectMany(queued => modes.Select(
                mode => new SocketsCell(set, mode, queued, options.SizeBytes))),
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
            .Where(static cell => cell.Rounds.Count > 0)
            .Select(static cell => cell.ToRow()));
    }

    private void RunRounds(SocketsCell[] cells, TimeSpan until, BenchSteps steps)
    {
        var runner = new RoundRunner<SocketsCell, double>(cells, _budget, steps, _skipped, cancellationToken);
        TimeSpan lastPass = TimeSpan.Zero;
        for (int pass = 0; pass < WarmUpPasses; pass++)
        {
            // Another warm-up pass runs only if time remains for a round after it.
            TimeSpan before = _budget.Elapsed;
            if (pass > 0 && before + (2 * lastPass) > until) break;
            _ = runner.WarmUp(until, static cell => cell.Measure(), skipsLate: pass == 0);
            cancellationToken.WaitHandle.WaitOne(WarmUpPauseMilliseconds);
            lastPass = _budget.Elapsed - before;
        }
        _ = runner.Run(options.RoundCount, until, static cell => cell.Measure());
    }
}
