using System.Net.Sockets;

namespace Spate.Measurement.Bench.Sockets;

/// <summary>One number of sockets after the other; modes and queue lengths in interleaved rounds.</summary>
internal sealed class SocketsEngine(SocketsOptions options, int? cpu, CancellationToken cancellationToken)
{
    // Tiered compilation counts 30 calls, twice, and compiles in the background once nothing new has come for 100 ms.
    private const int WarmUpPasses = 3;
    private const int WarmUpPauseMilliseconds = 200;

    private readonly List<SocketsRow> _rows = [];
    private readonly List<BenchSkippedRow> _skipped = [];
    private readonly BenchPace _pace = new(options.Budget, cancellationToken);
    private int _stepIndex;

    public SocketsReport Execute(IProgress<BenchStep>? progress)
    {
        for (int i = 0; i < options.SocketCounts.Count; i++)
        {
            int count = options.SocketCounts[i];
            try
            {
                TimeSpan before = _pace.Elapsed;
                TimeSpan until = before + (_pace.Left * ShareOf(count) / options.SocketCounts.Skip(i).Sum(ShareOf));
                using var set = new SocketSet(count, until, _pace, cancellationToken);

                // Closing them takes about as long as opening them has.
                Measure(set, until - (_pace.Elapsed - before), progress);
            }
            catch (SocketException e)
            {
                _skipped.Add(new BenchSkippedRow($"{count} sockets", BenchText.OneLine(e.Message)));
            }
            catch (BenchException e)
            {
                _skipped.Add(new BenchSkippedRow($"{count} sockets", e.Message));
            }
            catch (OperationCanceledException) when (_rows.Count > 0)
            {
                break;
            }
        }
        if (_rows.Count == 0)
        {
            throw BenchPace.NothingRan(_skipped);
        }
        var report = new SocketsReport
        {
            Rounds = _rows.Max(static row => row.Samples.Length),
            Seconds = _pace.Elapsed.TotalSeconds,
            Rows = [.. _rows],
            Skipped = _skipped,
            Threads = [ThreadReport.At("drain", cpu)],
            Flows = _rows.Max(static row => row.Sockets),
        };
        report.SetMemory();
        return report;
    }

    // A round of many sockets takes longer, but not by as much as they are more.
    private static double ShareOf(int socketCount) => 3 + Math.Log10(socketCount);

    private void Measure(SocketSet set, TimeSpan until, IProgress<BenchStep>? progress)
    {
        SocketsMode[] modes =
        [
            new PollerMode(set, options.SizeBytes),
            new AwaitableMode(set, options.SizeBytes),
            new InTurnMode(set, options.SizeBytes),
        ];
        SocketsCell[] cells =
        [
            .. options.QueuedCounts.SelectMany(queued => modes.Select(mode => new SocketsCell(set, mode, queued))),
        ];
        try
        {
            RunRounds(cells, until, progress);
        }
        finally
        {
            foreach (SocketsMode mode in modes) mode.Dispose();
        }
        _rows.AddRange(cells.Where(cell => cell.Nanoseconds.Count > 0).Select(cell => cell.ToRow(options.SizeBytes)));
    }

    private void RunRounds(SocketsCell[] cells, TimeSpan until, IProgress<BenchStep>? progress)
    {
        TimeSpan lastPass = TimeSpan.Zero;
        for (int pass = 0; pass < WarmUpPasses; pass++)
        {
            // What is wanted most is a round; another pass of warming up comes second.
            TimeSpan before = _pace.Elapsed;
            if (pass > 0 && before + (2 * lastPass) > until)
            {
                break;
            }
            // A row that the first pass had no time for is given up; one that a later pass leaves out is warm.
            _ = _pace.WarmUp(cells.Length, until, Run, pass == 0 ? GiveUp : static _ => { });
            cancellationToken.WaitHandle.WaitOne(WarmUpPauseMilliseconds);
            lastPass = _pace.Elapsed - before;
        }
        int roundCount = _pace.RunRounds(cells.Length, options.RoundCount, until, Run, GiveUp);
        Array.ForEach(cells, cell => BenchPace.Keep(cell.Nanoseconds, roundCount));

        void Run(int index, int round)
        {
            SocketsCell cell = cells[index];
            if (round > 0)
            {
                int stepCount = options.SocketCounts.Count * cells.Length * options.RoundCount;
                progress?.Report(new BenchStep(
                    cell.Name, options.SizeBytes, round, options.RoundCount, _stepIndex++, stepCount));
            }
            RunCell(cell, isWarmUp: round == 0);
        }

        void GiveUp(int index)
        {
            if (!cells[index].Failed)
            {
                cells[index].GiveUp();
                _skipped.Add(new BenchSkippedRow(cells[index].Name, BenchPace.NoTimeLeft));
            }
        }
    }

    private void RunCell(SocketsCell cell, bool isWarmUp)
    {
        if (!cell.Failed && cell.Run(options.SizeBytes, isWarmUp) is { } fault)
        {
            _skipped.Add(new BenchSkippedRow(cell.Name, fault));
        }
    }
}
