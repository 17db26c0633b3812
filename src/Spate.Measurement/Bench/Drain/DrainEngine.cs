using System.Net.Sockets;

namespace Spate.Measurement.Bench.Drain;

/// <summary>Interleaved rounds of filling and draining, all on the calling thread.</summary>
internal sealed class DrainEngine(DrainOptions options, int? cpu, CancellationToken cancellationToken)
{
    // As the C programs do: a large buffer so that one long queue gives one long time to measure.
    private const int BufferBytes = 256 * 1024 * 1024;

    // The part of the time that is for the warm-up at most: one in so many.
    private const int WarmUpShare = 3;

    private readonly List<BenchSkippedRow> _skipped = [];
    private readonly BenchPace _pace = new(options.Budget, cancellationToken);
    private int _stepIndex;

    public DrainReport Execute(IReadOnlyList<DrainTarget> targets, IProgress<BenchStep>? progress)
    {
        List<DrainCell> cells = [];
        int roundCount;
        try
        {
            OpenAll(targets, cells);
            roundCount = RunRounds(cells, progress);
        }
        finally
        {
            cells.ForEach(cell => cell.Pair.Dispose());
        }
        List<DrainRow> rows =
            [.. cells.Where(cell => cell.ReceiveNanoseconds.Count > 0).Select(cell => cell.ToRow())];
        if (rows.Count == 0)
        {
            throw BenchPace.NothingRan(_skipped);
        }
        var report = new DrainReport
        {
            Rounds = roundCount,
            Seconds = _pace.Elapsed.TotalSeconds,
            Rows = [.. rows],
            Skipped = _skipped,
            Threads = [ThreadReport.At("drain", cpu)],
            Flows = 1,
            Demotions = rows.Sum(static row => row.Demotions),
            BufferGrantedBytes = cells.Where(static cell => !cell.Failed).Max(static cell => cell.BufferGrantedBytes),
        };
        report.SetMemory();
        return report;
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
                    Skip(NameOf(target.Name, sizeBytes), BenchText.OneLine(e.Message));
                }
            }
        }
    }

    private int RunRounds(List<DrainCell> cells, IProgress<BenchStep>? progress)
    {
        int stepCount = cells.Count * (options.RoundCount + 1);

        // The warm-up is shorter where the time is: a quick run is to have several rounds.
        TimeSpan warmUpMost = _pace.Left / (WarmUpShare * Math.Max(1, cells.Count));
        _ = _pace.WarmUp(cells.Count, options.Budget, Run, GiveUp);
        int roundCount = _pace.RunRounds(cells.Count, options.RoundCount, options.Budget, Run, GiveUp);
        cells.ForEach(cell => cell.Keep(roundCount));
        return roundCount;

        void Run(int index, int round)
        {
            DrainCell cell = cells[index];
            progress?.Report(new BenchStep(
                cell.Name, cell.SizeBytes, round, options.RoundCount, _stepIndex++, stepCount));
            RunCell(cell, round == 0 ? warmUpMost : null);
        }

        void GiveUp(int index)
        {
            if (!cells[index].Failed)
            {
                cells[index].GiveUp();
                Skip(NameOf(cells[index].Name, cells[index].SizeBytes), BenchPace.NoTimeLeft);
            }
        }
    }

    private void RunCell(DrainCell cell, TimeSpan? warmUpMost)
    {
        if (cell.Failed)
        {
            return;
        }
        try
        {
            string? fault = cell.Measure(warmUpMost);
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
        cell.GiveUp();
        Skip(NameOf(cell.Name, cell.SizeBytes), fault);
    }

    private string NameOf(string name, int sizeBytes) =>
        BenchSkippedRow.NameOf(name, sizeBytes, options.SizesBytes.Count);

    private void Skip(string name, string reason)
    {
        var row = new BenchSkippedRow(name, reason);
        if (!_skipped.Contains(row))
        {
            _skipped.Add(row);
        }
    }
}
