using System.CommandLine;
using System.Net;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Shell.Options;
using Spate.Measurement.HostUse;
using Spate.Serving;

namespace Spate.Cli.Bench.PingPong;

/// <summary>
/// The settings of <c>spate bench pingpong</c>. A short time makes fewer rounds with fewer pings, and idle servers are
/// watched for a shorter time.
/// </summary>
internal sealed class PingPongOptions : BenchOptions
{
    /// <summary>The largest number of pings in a round: each takes 8 bytes of memory.</summary>
    public const int MaxPingCount = 10_000_000;

    public PingPongOptions() => (SizeBytes, Budget, RoundCount) = (64, TimeSpan.FromSeconds(40), 7);

    /// <summary>Counted pings per row and round.</summary>
    public int PingCount { get; set; } = 10_000;

    /// <summary>For each idle server. Zero watches none.</summary>
    public TimeSpan IdleDuration { get; set; } = TimeSpan.FromSeconds(1);

    // The runtime optimises code in the background after 100 ms without new methods (TC_CallCountingDelayMs).
    public TimeSpan WarmUpTime { get; init; } = TimeSpan.FromMilliseconds(300);
}

/// <summary>A row of the ping-pong bench.</summary>
/// <param name="RunsOnPool">Whether both ends run on pool threads, so that neither is pinned.</param>
/// <param name="Spins">Whether both ends always use their whole CPU.</param>
internal sealed record PingTarget(
    string Mode,
    bool RunsOnPool,
    Func<int?, BenchServer> OpenServer,
    Func<int, IPEndPoint, PingClient> OpenClient,
    bool Spins = false)
{
    /// <summary>In the order of the table.</summary>
    public static IReadOnlyList<PingTarget> All { get; } =
    [
        Spate("blocking", UdpServerWait.Blocking),
        Spate("adaptive", UdpServerWait.Adaptive),
        Spate("spinning", UdpServerWait.Spinning),
        new(
            "socket-blocking",
            RunsOnPool: false,
            static cpu => new BlockingSocketServer("bench pong", cpu),
            static (size, server) => new SocketPing(size, server)),
        new(
            "socket-async",
            RunsOnPool: true,
            static _ => new AsyncSocketServer(),
            static (size, server) => new SocketAsyncPing(size, server)),
    ];

    private static PingTarget Spate(string mode, UdpServerWait wait) => new(
        mode,
        RunsOnPool: false,
        cpu => new SpateServer(cpu, wait: wait),
        (size, server) => new SpatePing(wait, size, server),
        Spins: wait == UdpServerWait.Spinning);
}

/// <summary>
/// <c>spate bench pingpong</c>: for every way of waiting, a client sends each ping after the answer to the one before.
/// Then idle servers are watched.
/// </summary>
/// <param name="runRound">
/// Takes the pings that do not count, those that do, and the longest time. Tests replace it.
/// </param>
internal sealed class PingPongBench(
    PingPongOptions options,
    CpuPlacement placement,
    IReadOnlyList<PingTarget> targets,
    Func<PingTarget, int, int, TimeSpan, PingRoundMeasurement> runRound,
    Func<TimeSpan, IReadOnlyList<IdleRow>> watchIdle,
    BenchCourse course)
    : BenchRun<BenchCell<PingTarget, PingRoundMeasurement>, PingRoundMeasurement, PingPongReport>(course)
{
    private const int QuickPingCount = 2000;
    private const int QuickRoundCount = 3;

    // An adaptive server tries once in 256 waits whether spinning pays. These are enough for several trials.
    private const int WarmUpPings = 1000;

    // The idle servers take at most this part of the budget.
    private const double IdleShare = 0.3;

    private static readonly TimeSpan QuickIdle = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan MaxWarmUp = TimeSpan.FromSeconds(2);

    private readonly TimeSpan _idleDuration =
        IdleServers.DurationWithin(options.Budget * IdleShare, options.IdleDuration);

    public static Benchmark<PingPongOptions, PingPongReport> Define()
    {
        Option<string?> count = OptionText.Create(
            "--count", "N", "Pings per row and round. Default: 10000; with --quick 2000.");
        return new(
            PingPongReport.KindName,
            "Measure round trips of single datagrams for each way of waiting, and the CPU time of idle servers.")
        {
            Cpus = BenchCpus.TwoEnds,
            CpuText = "CPUs of the client and the server, such as 0,1, or auto, which prints its reasons. Default: "
                + "auto.",
            QuickBudget = TimeSpan.FromSeconds(15),
            OwnOptions = [count],
            ReadOwn = (parsed, common, options) =>
            {
                if (common.IsQuick(parsed))
                {
                    options.PingCount = QuickPingCount;
                    options.RoundCount = QuickRoundCount;
                    options.IdleDuration = QuickIdle;
                }

                options.PingCount = (int)(UnitText.ReadCount(parsed, count, 1, PingPongOptions.MaxPingCount)
                    ?? options.PingCount);
            },
            Measure = Measure,
            Write = PingPongReport.Write,
            Examples =
            [
                "spate bench pingpong",
                "spate bench pingpong --size 1200 --cpu 0,1",
                "spate bench pingpong --quick --json -",
                "spate bench pingpong --fail-if 'rows[blocking].p99Microseconds > 100'",
            ],
        };
    }

    protected override int RunRounds()
    {
        Cells.AddRange(targets.Select(target =>
            new BenchCell<PingTarget, PingRoundMeasurement>(target, target.Mode, options.SizeBytes)
            {
                Spins = target.Spins,
            }));
        return Runner(options.RoundCount).RunCounted(
            warmUpShare: 1,
            options.RoundCount,
            options.Budget - IdleServers.TimeOf(_idleDuration),
            (cell, _) => WarmUp(cell.Subject),
            (cell, maxTime) => runRound(cell.Subject, WarmUpPings, options.PingCount, maxTime));
    }

    protected override PingPongReport ToReport(
        IReadOnlyList<BenchCell<PingTarget, PingRoundMeasurement>> measured)
    {
        PingPongRow[] rows = Course.RequireRows(
            measured.Select(static cell => PingPongRow.Of(cell.Name, cell.Rounds)));
        IdleRow[] idle = [.. watchIdle(_idleDuration)];
        return new PingPongReport
        {
            SizeBytes = options.SizeBytes,
            Rows = rows,
            Idle = idle,
            Placement = placement.Note,
            PingsAsked = options.PingCount,
            IdleSeconds = _idleDuration.TotalSeconds,
            Threads =
            [
                ThreadReport.At("client", placement.SenderCpu), ThreadReport.At("server", placement.ReceiverCpu),
            ],
            Flows = 1,
        };
    }

    private static PingPongReport Measure(PingPongOptions options, CpuPlacement placement, BenchCourse course)
    {
        var round = new PingRound(placement, options.SizeBytes, course.CancellationToken);
        return new PingPongBench(
            options, placement, PingTarget.All, round.Run, duration => IdleServers.Measure(duration, course), course)
            .Execute();
    }

    private void WarmUp(PingTarget target)
    {
        long start = Course.Time.GetTimestamp();
        do
        {
            _ = runRound(target, WarmUpPings, Math.Min(options.PingCount, WarmUpPings), MaxWarmUp);
        }
        while (Course.Time.GetElapsedTime(start) < options.WarmUpTime);
    }
}
