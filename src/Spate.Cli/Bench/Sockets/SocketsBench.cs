using System.CommandLine;
using System.Net.Sockets;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Sockets;

/// <summary>The settings of <c>spate bench sockets</c>.</summary>
internal sealed class SocketsOptions : BenchOptions
{
    public const int MaxSocketCount = 1_000_000;

    public const int MaxQueuedCount = 64;

    public SocketsOptions() => (SizeBytes, Budget, RoundCount) = (64, TimeSpan.FromSeconds(20), 15);

    public IReadOnlyList<int> SocketCounts { get; set; } = [1, 100, 10_000];

    public IReadOnlyList<int> QueuedCounts { get; set; } = [1, 10];
}

/// <summary>
/// <c>spate bench sockets</c>: measures each number of sockets in turn, in interleaved rounds. Tests replace the
/// sockets.
/// </summary>
/// <param name="open">Opens a number of sockets, until a time at the latest.</param>
internal sealed class SocketsBench(
    SocketsOptions options, int? cpu, Func<int, TimeSpan, ISocketSet> open, BenchCourse course)
    : BenchRun<SocketsCell, double, SocketsReport>(course)
{
    // Tiered compilation recompiles a method after 30 calls, twice, and in the background: only after 100 ms without
    // new methods (TC_CallCountingDelayMs).
    private const int WarmUpPasses = 3;
    private const int ModeCount = 3;

    private static readonly TimeSpan WarmUpPause = TimeSpan.FromMilliseconds(200);

    public static Benchmark<SocketsOptions, SocketsReport> Define()
    {
        Option<string?> counts = OptionText.Create(
            "--count", "LIST", "Sockets, one or several numbers. Default: 1,100,10000.");
        Option<string?> queued = OptionText.Create(
            "--queued", "LIST", "Datagrams queued in each socket, one or several numbers. Default: 1,10.");
        return new(
            SocketsReport.KindName,
            "Queue datagrams in many sockets, then time one thread that receives them all.")
        {
            Cpus = BenchCpus.OneThread,
            QuickBudget = TimeSpan.FromSeconds(6),

            // Opening and closing thousands of sockets takes a while, too.
            MaxOver = TimeSpan.FromSeconds(60),
            OwnOptions = [counts, queued],
            ReadOwn = (parsed, _, options) =>
            {
                options.SocketCounts = NumberList.ReadCounts(
                    parsed, counts, 1, SocketsOptions.MaxSocketCount, "1,10k", BenchOptions.MaxSizeCount)
                    ?? options.SocketCounts;
                options.QueuedCounts = NumberList.ReadCounts(
                    parsed, queued, 1, SocketsOptions.MaxQueuedCount, "1,10", BenchOptions.MaxSizeCount)
                    ?? options.QueuedCounts;
            },
            Measure = static (options, placement, course) => new SocketsBench(
                options, placement.ReceiverCpu, (count, until) => new FilledSockets(count, until, course), course)
                .Execute(),
            Write = SocketsReport.Write,
            Examples =
            [
                "spate bench sockets",
                "spate bench sockets --count 10000 --queued 1,10,64",
                "spate bench sockets --quick --json -",
                "spate bench sockets --fail-if 'rows[poller].receiveNanosecondsPerDatagram > 2k'",
            ],
        };
    }

    protected override int RunRounds()
    {
        int cellCount = options.SocketCounts.Count * options.QueuedCounts.Count * ModeCount;
        BenchSteps steps = Course.Steps(options.RoundCount, cellCount, WarmUpPasses);
        for (int i = 0; i < options.SocketCounts.Count; i++)
        {
            int count = options.SocketCounts[i];
            try
            {
                TimeSpan before = Course.Budget.Elapsed;
                double share = ShareOf(count) / options.SocketCounts.Skip(i).Sum(ShareOf);
                TimeSpan until = before + (Course.Budget.Left * share);
                using ISocketSet set = open(count, until);

                // The sockets take about as long to close as they took to open.
                Measure(set, until - (Course.Budget.Elapsed - before), steps);
            }
            catch (Exception e) when (e is SocketException or BenchException)
            {
                Course.Skipped.Add(
                    $"{count} sockets", e is BenchException ? e.Message : PrintableText.OneLine(e.Message));
            }
            catch (OperationCanceledException) when (Cells.Exists(static cell => cell.IsMeasured))
            {
                break;
            }
        }

        return Cells.Select(static cell => cell.Rounds.Count).DefaultIfEmpty().Max();
    }

    protected override SocketsReport ToReport(IReadOnlyList<SocketsCell> measured)
    {
        SocketsRow[] rows = Course.RequireRows(measured.Select(static cell => cell.ToRow()));
        return new SocketsReport
        {
            Rows = rows,
            Threads = [ThreadReport.At("drain", cpu)],
            Flows = rows.Max(static row => row.Sockets),
        };
    }

    // A round takes longer with more sockets, but not in proportion to their number.
    private static double ShareOf(int socketCount) => 3 + Math.Log10(socketCount);

    private void Measure(ISocketSet set, TimeSpan until, BenchSteps steps)
    {
        IReadOnlyList<SocketsMode> modes = set.CreateModes(options.SizeBytes);
        SocketsCell[] cells =
        [
            .. options.QueuedCounts.SelectMany(queued => modes.Select(
                mode => new SocketsCell(set, mode, queued, options.SizeBytes, Course.Time))),
        ];
        try
        {
            MeasureInRounds(cells, until, steps);
        }
        finally
        {
            foreach (SocketsMode mode in modes) mode.Dispose();
        }

        Cells.AddRange(cells);
    }

    private void MeasureInRounds(SocketsCell[] cells, TimeSpan until, BenchSteps steps)
    {
        RoundRunner<SocketsCell, double> runner = Runner(options.RoundCount, cells, steps);
        TimeSpan lastPass = TimeSpan.Zero;
        for (int pass = 0; pass < WarmUpPasses; pass++)
        {
            // Another warm-up pass runs only if time remains for a round after it.
            TimeSpan before = Course.Budget.Elapsed;
            if (pass > 0 && before + (2 * lastPass) > until) break;
            _ = runner.WarmUp(until, static cell => cell.Measure(), skipsLate: pass == 0);
            Course.Pause(WarmUpPause);
            lastPass = Course.Budget.Elapsed - before;
        }

        _ = runner.Run(options.RoundCount, until, static cell => cell.Measure());
    }
}

/// <summary>One mode with one number of sockets and of datagrams queued in each, and its rounds so far.</summary>
internal sealed class SocketsCell(ISocketSet set, SocketsMode mode, int queuedCount, int sizeBytes, TimeProvider time)
    : BenchCell<double>($"{mode.Name} of {set.Count} sockets, {queuedCount} queued", sizeBytes)
{
    // A short drain takes only a few ticks of the clock, so a round repeats it until this many datagrams came.
    private const long MinDatagramsPerRound = 2000;

    /// <summary>Nanoseconds per datagram. Throws if datagrams were lost, since the time would mean nothing.</summary>
    public double Measure()
    {
        try
        {
            mode.Prepare();
            try
            {
                return Drain();
            }
            finally
            {
                mode.Finish();
            }
        }
        catch
        {
            // The next row must not count the datagrams that are still queued or on their way.
            set.Discard();
            throw;
        }
    }

    public SocketsRow ToRow()
    {
        double[] rounds = [.. Rounds];
        return new SocketsRow
        {
            Sockets = set.Count,
            Mode = mode.Name,
            Queued = queuedCount,
            SizeBytes = SizeBytes,
            ReceiveNanosecondsPerDatagram = Statistics.Median(rounds),
            SpreadPercent = Statistics.SpreadPercent(rounds),
            Samples = rounds,
        };
    }

    private double Drain()
    {
        long ticks = 0;
        long drained = 0;
        long expected = (long)set.Count * queuedCount;
        while (drained < MinDatagramsPerRound)
        {
            long sent = set.Fill(queuedCount, SizeBytes);
            long start = time.GetTimestamp();
            long came = mode.Drain(sent);
            ticks += time.GetTimestamp() - start;
            if (came != sent || sent != expected)
            {
                throw new BenchException($"{sent} of {expected} datagrams were sent and {came} arrived");
            }

            drained += came;
        }

        return ticks * (1e9 / time.TimestampFrequency) / drained;
    }
}
