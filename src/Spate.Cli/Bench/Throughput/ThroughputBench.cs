using System.CommandLine;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Bench.Throughput.Peers;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Throughput;

/// <summary>
/// The settings of <c>spate bench</c>. The time, for all rows and sizes and other programs, decides the number and the
/// length of the rounds.
/// </summary>
internal sealed class ThroughputOptions : BenchOptions
{
    public ThroughputOptions() => Budget = TimeSpan.FromSeconds(60);

    /// <summary>Some of <see cref="ThroughputBench.RowNames"/>; null runs all.</summary>
    public IReadOnlyList<string>? RowNames { get; set; }

    /// <summary>Whether iperf3, nuttcp and sockperf run too, where they are installed. Off by default.</summary>
    public bool WithPeerPrograms { get; set; }
}

/// <summary>
/// <c>spate bench</c>: every row at every size in interleaved rounds, with both ends in this process over the loopback
/// interface. Nothing else should run in the process meanwhile, since allocations are counted over all of it. Tests
/// replace what runs a round and a program.
/// </summary>
/// <remarks>
/// If there are two CPUs, the sender's thread is pinned to one and the receiver's, if one thread receives, to the
/// other. The system places pool and library threads, as in any program. A round opens both sockets, sends one burst
/// that is not counted, collects garbage, sends for its time, and lets the receiver take what is in flight. The first
/// round of every row is a warm-up and is not counted.
/// </remarks>
internal sealed class ThroughputBench(
    ThroughputOptions options,
    CpuPlacement placement,
    IReadOnlyList<BenchTarget> targets,
    IReadOnlyList<PeerProgram> peers,
    Func<BenchTarget, int, TimeSpan, RoundMeasurement> runRound,
    Func<PeerProgram, int, BenchRow> runPeer,
    BenchCourse course)
    : BenchRun<BenchCell<BenchTarget, RoundMeasurement>, RoundMeasurement, BenchReport>(course)
{
    public static readonly TimeSpan QuickBudget = TimeSpan.FromSeconds(15);

    private readonly List<BenchRow> _peerRows = [];
    private BenchPlan? _plan;

    /// <summary>
    /// In the order of the table, without other programs. Made when it is read: each start of the tool defines the
    /// bench, and need not load the types of its rows.
    /// </summary>
    public static IReadOnlyList<BenchTarget> Targets =>
    [
        SocketTarget.UdpClientAsync,
        SocketTarget.AsyncEndPoint,
        SocketTarget.Async,
        SocketTarget.Blocking,
        new SpateTarget(SpateRow.Portable),
        new SpateTarget(SpateRow.Await, awaitsEach: true),
        new SpateTarget(SpateRow.AwaitInline, awaitsEach: true),
        new SpateTarget(SpateRow.Mmsg),
        new SpateTarget(SpateRow.MmsgOffloads),
    ];

    public static IReadOnlyList<string> RowNames => [.. Targets.Select(static target => target.Name)];

    public static Benchmark<ThroughputOptions, BenchReport> Define()
    {
        Option<string?> rows = BenchOptionSet.CreateRows();
        Option<bool> peers = OptionText.CreateFlag("--peers", "Also measure iperf3, nuttcp, sockperf if installed.");
        return new(
            "bench",
            "Compare the ways to send and receive datagrams, over the loopback of this machine.")
        {
            Cpus = BenchCpus.TwoEnds,
            CpuText = "CPUs of the sender and the receiver, such as 0,1, or auto, which prints its reasons. Default: "
                + "auto.",
            TakesSizes = true,
            QuickBudget = QuickBudget,
            OwnOptions = [rows, peers],
            ReadOwn = (parsed, _, options) =>
            {
                options.RowNames = BenchOptionSet.ReadRows(parsed, rows, RowNames);
                options.WithPeerPrograms = parsed.GetValue(peers);
            },
            Measure = Measure,
            Write = BenchReport.Write,
            Examples =
            [
                "spate bench --quick --size 1380  one size, in under 15 s",
                "spate bench --peers --json bench.json",
                "spate bench drain                the figures with the least noise",
                "spate bench --sweep cpu          the best CPUs for sender and receiver, if proven",
                "spate bench --size 64 --fail-if 'rows[spate-mmsg].lostPercent > 1'",
            ],
        };
    }

    protected override int RunRounds()
    {
        BenchTarget[] available =
            [.. targets.Where(target => Course.Skipped.IsAvailable(target.Name, target.UnavailableReason))];
        PeerProgram[] installed =
            [.. peers.Where(peer => Course.Skipped.IsAvailable(peer.Name, peer.UnavailableReason))];
        int sizeCount = options.SizesBytes.Count;
        TimeSpan reserved = installed.Length * sizeCount * PeerRunner.ExpectedDuration;
        _plan = BenchPlan.Create(available.Length, sizeCount, options.Budget, reserved);
        Cells.AddRange(options.SizesBytes.SelectMany(size => available.Select(
            target => new BenchCell<BenchTarget, RoundMeasurement>(
                target, target.Name, size, BenchSkippedRow.NameOf(target.Name, size, sizeCount)))));
        BenchSteps steps = Course.Steps(_plan.RoundCount, Cells.Count, otherCount: installed.Length * sizeCount);
        (int complete, TimeSpan length) = Runner(_plan.RoundCount, steps: steps).RunTimed(
            new RoundLengths(_plan.WarmUpDuration, BenchPlan.MinRound, _plan.RoundDuration, _plan.RoundCount),
            options.Budget - reserved,
            (cell, duration) => runRound(cell.Subject, cell.SizeBytes, duration));
        _plan = _plan with { RoundDuration = length };
        RunPeers(installed, steps);
        return complete;
    }

    protected override BenchReport ToReport(IReadOnlyList<BenchCell<BenchTarget, RoundMeasurement>> measured)
    {
        BenchRow[] rows =
            [.. measured.Select(static cell => BenchRow.Of(cell.Name, cell.SizeBytes, cell.Rounds)), .. _peerRows];
        if (rows.Length == 0) Course.CancellationToken.ThrowIfCancellationRequested();

        return new BenchReport
        {
            Rows = Course.RequireRows(options.SizesBytes.SelectMany(
                size => rows.Where(row => row.SizeBytes == size))),
            Placement = placement.Note,
            RoundSeconds = _plan!.RoundDuration.TotalSeconds,
            Threads =
            [
                ThreadReport.At("send", placement.SenderCpu), ThreadReport.At("receive", placement.ReceiverCpu),
            ],
            Flows = 1,
            GsoFallbacks = rows.Sum(static row => row.GsoFallbacks),
            BufferAskedBytes = BenchOptions.DefaultBufferBytes,
            BufferGrantedBytes = measured.SelectMany(static cell => cell.Rounds)
                .Select(static round => round.BufferGrantedBytes).DefaultIfEmpty().Max(),
        };
    }

    protected override IEnumerable<ThreadReport>? ThreadsOf(BenchCell<BenchTarget, RoundMeasurement> cell)
    {
        ThreadReport send = ThreadReport.At("send", placement.SenderCpu);
        ThreadReport receive = ThreadReport.At("receive", placement.ReceiverCpu);
        send.SetUse(cell.Rounds.Select(static round => round.SenderUse).Aggregate(static (sum, one) => sum + one));
        if (cell.Rounds.TrueForAll(static round => round.ReceiverUse is not null))
        {
            receive.SetUse(
                cell.Rounds.Select(static round => round.ReceiverUse!.Value).Aggregate(static (sum, one) => sum + one));
        }

        return [send, receive];
    }

    private static BenchReport Measure(ThroughputOptions options, CpuPlacement placement, BenchCourse course) =>
        new ThroughputBench(
            options,
            placement,
            [.. Targets.Where(target => options.RowNames?.Contains(target.Name, StringComparer.Ordinal) ?? true)],
            options.WithPeerPrograms ? PeerProgram.All : [],
            new BenchRound(placement, BenchOptions.DefaultBufferBytes).Run,
            new PeerRunner(placement, BenchOptions.DefaultBufferBytes).Run,
            course).Execute();

    private void RunPeers(PeerProgram[] installed, BenchSteps steps)
    {
        foreach (PeerProgram peer in installed)
        {
            foreach (int sizeBytes in options.SizesBytes)
            {
                if (Course.CancellationToken.IsCancellationRequested) return;

                steps.Report(peer.Name, sizeBytes, _plan!.RoundCount);
                try
                {
                    if (Course.Budget.Elapsed + PeerRunner.ExpectedDuration > options.Budget)
                    {
                        throw new BenchException($"No time was left for {peer.Name}; allow more time.");
                    }

                    _peerRows.Add(runPeer(peer, sizeBytes));
                }
                catch (BenchException e)
                {
                    // A program that failed at one size would fail at the others too, and use up their time.
                    Course.Skipped.Add(peer.Name, e.Message);
                    break;
                }
            }
        }
    }
}

/// <summary>How a time budget is divided: an odd number of rounds, for medians, and an uncounted warm-up.</summary>
internal sealed record BenchPlan(int RoundCount, TimeSpan RoundDuration, TimeSpan WarmUpDuration)
{
    /// <summary>What a round takes besides sending: a garbage collection, opening, draining and closing.</summary>
    public static readonly TimeSpan RoundOverhead = TimeSpan.FromMilliseconds(60);

    /// <summary>The shortest round. In a shorter one, opening and closing disturb the figures too much.</summary>
    public static readonly TimeSpan MinRound = TimeSpan.FromMilliseconds(40);

    // The rest of the budget is for starting the process and for delays of the scheduler.
    private const double UsableShare = 0.92;

    private static readonly TimeSpan MaxRound = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MaxWarmUp = TimeSpan.FromMilliseconds(200);

    // The best choice comes first. If its rounds were shorter than its minimum, fewer and longer ones vary less.
    private static readonly (int RoundCount, int MinMilliseconds)[] Choices = [(7, 250), (5, 200), (3, 40), (1, 40)];

    /// <summary>Divides <paramref name="budget"/> less <paramref name="reserved"/> among all cells.</summary>
    public static BenchPlan Create(int rowCount, int sizeCount, TimeSpan budget, TimeSpan reserved)
    {
        int cellCount = rowCount * sizeCount;
        if (cellCount == 0) return new BenchPlan(0, TimeSpan.Zero, TimeSpan.Zero);
        TimeSpan perCell = ((budget * UsableShare) - reserved) / cellCount;
        foreach ((int roundCount, int minMilliseconds) in Choices)
        {
            // The warm-up is as long as a round, but never longer than it needs to be.
            TimeSpan sending = perCell - (RoundOverhead * (roundCount + 1));
            TimeSpan round = sending / (roundCount + 1);
            if (round > MaxWarmUp) round = (sending - MaxWarmUp) / roundCount;
            if (round.TotalMilliseconds >= minMilliseconds)
            {
                round = round < MaxRound ? round : MaxRound;
                return new BenchPlan(roundCount, round, round < MaxWarmUp ? round : MaxWarmUp);
            }
        }
        throw new BenchException(
            $"{rowCount} rows at {sizeCount} sizes do not fit in {budget.TotalSeconds:0.#} s; "
            + "use fewer rows or sizes, or more time.");
    }
}
