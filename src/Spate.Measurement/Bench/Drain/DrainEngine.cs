using System.Diagnostics;
using System.Net.Sockets;

namespace Spate.Measurement.Bench.Drain;

/// <summary>Interleaved rounds of filling and draining, all on the calling thread.</summary>
internal sealed class DrainEngine(DrainOptions options, int? cpu)
{
    // As the C programs do: a large buffer so that one long queue gives one long time to measure.
    private const int BufferBytes = 256 * 1024 * 1024;

    private readonly List<BenchSkippedRow> _skipped = [];
    private readonly Stopwatch _watch = Stopwatch.StartNew();
    private int _stepIndex;

    public DrainResult Execute(
        IReadOnlyList<DrainTarget> targets, IProgress<BenchStep>? progress, CancellationToken cancellationToken)
    {
        List<DrainCell> cells = [];
        try
        {
            OpenAll(targets, cells);
            RunRounds(cells, progress, cancellationToken);
        }
        finally
        {
            cells.ForEach(cell => cell.Pair.Dispose());
        }
        List<DrainRowResult> rows =
            [.. cells.Where(cell => cell.ReceiveNanoseconds.Count > 0).Select(cell => cell.ToRow())];
        if (rows.Count == 0)
        {
            throw new BenchException("No row could run. " + string.Join(" ", _skipped.Select(row => row.Reason)));
        }
        return new DrainResult
        {
            Rows = rows,
            Skipped = _skipped,
            Cpu = cpu,
            TotalSeconds = _watch.Elapsed.TotalSeconds,
        };
    }

    /// <summary>
    /// Datagrams that a receive buffer surely holds, whole trains of them. The kernel charges a datagram its buffer and
    /// its bookkeeping (truesize), at most twice the payload and 1 KiB as seen on Linux 6.18.
    /// </summary>
    internal static int CountThatFits(int wantedCount, int sizeBytes, int bufferGrantedBytes)
    {
        const int BookkeepingBytes = 1024;

        // The kernel lets the queue grow to twice the granted size (socket(7)).
        long held = 2L * bufferGrantedBytes / ((2L * sizeBytes) + BookkeepingBytes);
        int train = TrainLength(sizeBytes);
        long count = Math.Min(wantedCount, held);
        return (int)Math.Max(count / train * train, Math.Min(train, wantedCount));
    }

    /// <summary>Datagrams of the longest train: one IPv4 datagram's bytes, 64 segments (UDP_MAX_SEGMENTS).</summary>
    internal static int TrainLength(int sizeBytes) => Math.Clamp(BenchOptions.MaxSizeBytes / sizeBytes, 1, 64);

    private void OpenAll(IReadOnlyList<DrainTarget> targets, List<DrainCell> cells)
    {
        foreach (int sizeBytes in options.SizesBytes)
        {
            foreach (DrainTarget target in targets)
            {
                if (target.UnavailableReason is string reason)
                {
                    Skip(target.Name, reason);
                    continue;
                }
                try
                {
                    DrainPair pair = target.Open(sizeBytes, BufferBytes);
                    int count = CountThatFits(options.DatagramCount, sizeBytes, pair.BufferGrantedBytes);
                    cells.Add(new DrainCell(target.Name, sizeBytes, pair, count));
                }
                catch (Exception e) when (e is SocketException or NotSupportedException)
                {
                    Skip(target.Name, $"{target.Name} failed at {sizeBytes} bytes: {BenchText.OneLine(e.Message)}");
                }
            }
        }
    }

    private void RunRounds(List<DrainCell> cells, IProgress<BenchStep>? progress, CancellationToken cancellationToken)
    {
        TimeSpan lastPass = TimeSpan.Zero;
        for (int round = 0; round <= options.RoundCount; round++)
        {
            TimeSpan before = _watch.Elapsed;
            if (round > 1 && before + lastPass > options.Budget)
            {
                break;
            }
            foreach (int index in BenchPlan.Order(round, cells.Count))
            {
                cancellationToken.ThrowIfCancellationRequested();
                DrainCell cell = cells[index];
                int stepCount = cells.Count * (options.RoundCount + 1);
                progress?.Report(new BenchStep(
                    cell.Name, cell.SizeBytes, round, options.RoundCount, _stepIndex++, stepCount));
                RunCell(cell, isWarmUp: round == 0);
            }
            lastPass = _watch.Elapsed - before;
        }
    }

    private void RunCell(DrainCell cell, bool isWarmUp)
    {
        if (cell.Failed)
        {
            return;
        }
        try
        {
            string? fault = cell.Measure(isWarmUp);
            if (fault is not null)
            {
                Fail(cell, fault);
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            Fail(cell, BenchText.OneLine(e.Message));
        }
    }

    private void Fail(DrainCell cell, string fault)
    {
        cell.Failed = true;
        cell.ReceiveNanoseconds.Clear();
        Skip(cell.Name, $"{cell.Name} failed at {cell.SizeBytes} bytes: {fault}");
    }

    private void Skip(string name, string reason)
    {
        var row = new BenchSkippedRow(name, reason);
        if (!_skipped.Contains(row))
        {
            _skipped.Add(row);
        }
    }
}
