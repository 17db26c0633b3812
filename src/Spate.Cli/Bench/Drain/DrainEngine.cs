using System.Net.Sockets;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Drain;

/// <summary>Interleaved rounds of filling and draining on the calling thread. Tests replace the sockets.</summary>
internal sealed class DrainEngine(DrainOptions options, int? cpu, BenchCourse course)
{
    /// <summary>As in the C programs of benchmarks/floor: a long queue takes long enough to measure.</summary>
    internal const int BufferBytes = 256 * 1024 * 1024;

    // The warm-up takes at most a third of the time.
    private const int WarmUpShare = 3;

    public DrainReport Execute(IReadOnlyList<DrainTarget> targets)
    {
        List<DrainCell> cells = [];
        int roundCount;
        try
        {
            OpenAll(targets, cells);
            roundCount = RunRounds(cells);
        }
        finally
        {
            cells.ForEach(static cell => cell.Dispose());
        }
        DrainRow[] rows = course.RequireRows(
            cells.Where(static cell => cell.IsMeasured).Select(static cell => cell.ToRow()));
        var report = new DrainReport
        {
            Rounds = roundCount,
            Seconds = course.Budget.Elapsed.TotalSeconds,
            Rows = rows,
            Threads = [ThreadReport.At("drain", cpu)],
            Flows = 1,
            GsoFallbacks = rows.Sum(static row => row.GsoFallbacks),
            BufferGrantedBytes = cells.Where(static cell => !cell.IsSkipped)
                .Max(static cell => cell.BufferGrantedBytes),
        };
        return course.Finish(report, cells);
    }

    /// <summary>The number of datagrams, in whole GSO messages, that surely fits into a receive buffer.</summary>
    internal static int CountThatFits(int wantedCount, int sizeBytes, int bufferGrantedBytes)
    {
        // The kernel lets the queue grow to twice the granted size (socket(7)).
        long held = 2L * bufferGrantedBytes / KernelCharge.MaxLoopbackBytes(sizeBytes);
        int message = SegmentCount(sizeBytes);
        long count = Math.Min(wantedCount, held);
        return (int)Math.Max(count / message * message, Math.Min(message, wantedCount));
    }

    /// <summary>Datagrams of the longest GSO message: at most 64 (UDP_MAX_SEGMENTS) and 65507 bytes.</summary>
    internal static int SegmentCount(int sizeBytes) => Math.Clamp(BenchOptions.MaxSizeBytes / sizeBytes, 1, 64);

    private void OpenAll(IReadOnlyList<DrainTarget> targets, List<DrainCell> cells)
    {
        foreach (int sizeBytes in options.SizesBytes)
        {
            foreach (DrainTarget target in targets)
            {
                if (!course.Skipped.IsAvailable(target.Name, target.UnavailableReason)) continue;
                string skippedName = BenchSkippedRow.NameOf(target.Name, sizeBytes, options.SizesBytes.Count);
                try
                {
                    DrainPair pair = target.Open(sizeBytes, BufferBytes);
                    int count = CountThatFits(options.DatagramCount, sizeBytes, pair.BufferGrantedBytes);
                    cells.Add(new DrainCell(target.Name, sizeBytes, skippedName, pair, count, course.Time));
                }
                catch (Exception e) when (e is SocketException or NotSupportedException)
                {
                    course.Skipped.Add(skippedName, PrintableText.OneLine(e.Message));
                }
            }
        }
    }

    private int RunRounds(List<DrainCell> cells)
    {
        var runner = new RoundRunner<DrainCell, DrainRound>(
            cells, course, course.Steps(options.RoundCount, cells.Count));

        // If the time is short, so is the warm-up: a quick run must have several rounds too.
        TimeSpan maxWarmUp = course.Budget.Left / (WarmUpShare * Math.Max(1, cells.Count));
        _ = runner.WarmUp(options.Budget, cell => cell.WarmUp(maxWarmUp));
        return runner.Run(options.RoundCount, options.Budget, static cell => cell.Measure());
    }
}
