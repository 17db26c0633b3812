using System.Diagnostics;
using System.Net.Sockets;

namespace Spate.Measurement.Bench.Sockets;

/// <summary>One number of sockets after the other; modes and queue lengths in interleaved rounds.</summary>
internal sealed class SocketsEngine(SocketsOptions options, int? cpu)
{
    // Tiered compilation counts 30 calls, twice, and compiles in the background once nothing new has come for 100 ms.
    private const int WarmUpPasses = 3;
    private const int WarmUpPauseMilliseconds = 200;

    private readonly List<SocketsRowResult> _rows = [];
    private readonly List<BenchSkippedRow> _skipped = [];
    private readonly Stopwatch _watch = Stopwatch.StartNew();
    private int _stepIndex;

    public SocketsResult Execute(IProgress<BenchStep>? progress, CancellationToken cancellationToken)
    {
        for (int i = 0; i < options.SocketCounts.Count; i++)
        {
            int count = options.SocketCounts[i];
            TimeSpan until = options.Budget * (i + 1) / options.SocketCounts.Count;
            try
            {
                using var set = new SocketSet(count);
                Measure(set, until, progress, cancellationToken);
            }
            catch (SocketException e)
            {
                _skipped.Add(new BenchSkippedRow($"{count} sockets", BenchText.OneLine(e.Message)));
            }
        }
        if (_rows.Count == 0)
        {
            throw new BenchException("No row could run. " + string.Join(" ", _skipped.Select(row => row.Reason)));
        }
        return new SocketsResult
        {
            Rows = _rows,
            Skipped = _skipped,
            Cpu = cpu,
            TotalSeconds = _watch.Elapsed.TotalSeconds,
        };
    }

    private void Measure(
        SocketSet set, TimeSpan until, IProgress<BenchStep>? progress, CancellationToken cancellationToken)
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
            RunRounds(cells, until, progress, cancellationToken);
        }
        finally
        {
            foreach (SocketsMode mode in modes) mode.Dispose();
        }
        _rows.AddRange(cells.Where(cell => cell.Nanoseconds.Count > 0).Select(cell => cell.ToRow(options.SizeBytes)));
    }

    private void RunRounds(
        SocketsCell[] cells, TimeSpan until, IProgress<BenchStep>? progress, CancellationToken cancellationToken)
    {
        for (int pass = 0; pass < WarmUpPasses; pass++)
        {
            foreach (SocketsCell cell in cells)
            {
                cancellationToken.ThrowIfCancellationRequested();
                RunCell(cell, isWarmUp: true);
            }
            cancellationToken.WaitHandle.WaitOne(WarmUpPauseMilliseconds);
        }
        TimeSpan lastPass = TimeSpan.Zero;
        for (int round = 1; round <= options.RoundCount; round++)
        {
            TimeSpan before = _watch.Elapsed;
            if (round > 1 && before + lastPass > until)
            {
                break;
            }
            foreach (int index in BenchPlan.Order(round, cells.Length))
            {
                cancellationToken.ThrowIfCancellationRequested();
                SocketsCell cell = cells[index];
                int stepCount = options.SocketCounts.Count * cells.Length * options.RoundCount;
                progress?.Report(new BenchStep(
                    cell.Name, options.SizeBytes, round, options.RoundCount, _stepIndex++, stepCount));
                RunCell(cell, isWarmUp: false);
            }
            lastPass = _watch.Elapsed - before;
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
