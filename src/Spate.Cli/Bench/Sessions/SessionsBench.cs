using System.CommandLine;
using System.Net.Sockets;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Host;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;
using Spate.Serving;

namespace Spate.Cli.Bench.Sessions;

/// <summary>The settings of <c>spate bench sessions</c>.</summary>
internal sealed class SessionsOptions : BenchOptions
{
    /// <summary>The largest number of sessions in a table: 4,000,000, which take about 350 MB.</summary>
    public const int MaxPeerCount = 4_000_000;

    public const int MaxPeerCounts = 8;

    public SessionsOptions() => (Budget, RoundCount) = (TimeSpan.FromSeconds(20), 101);

    /// <summary>A table with one session is always measured too, since the others are compared with it.</summary>
    public IReadOnlyList<int> PeerCounts { get; set; } = [1000, 100_000, 1_000_000];

    /// <summary>Fewer are sent where the receive buffer that the system grants does not hold as many.</summary>
    public int DatagramCount { get; init; } = 20_000;
}

/// <summary>
/// <c>spate bench sessions</c>: one thread drains a filled socket and finds a session for each datagram. All come from
/// one peer over loopback, so a prepared sequence names the peers. Tests replace the functions.
/// </summary>
internal sealed class SessionsBench(
    SessionsOptions options,
    int? cpu,
    Func<SpateRow, int, int, ISessionsPair> open,
    Func<int, PeerSet> fill,
    Func<UdpEndPoint[], AgingTimes> age,
    BenchCourse course)
    : BenchRun<SessionsCell, double, SessionsReport>(course)
{
    private const string DefaultPeers = "1k,100k,1m";

    // A fixed seed, so that runs that are compared draw the same peers.
    private const int Seed = 20_260_901;

    // The warm-up takes at most a quarter of the time.
    private const int WarmUpShare = 4;

    private readonly Random _random = new(Seed);
    private readonly List<ISessionsPair> _sockets = [];

    private readonly SpateRow _row = new[] { SpateRow.MmsgOffloads, SpateRow.Mmsg, SpateRow.Portable }
        .First(static row => row.UnavailableReason is null);

    private PeerSet[] _sets = [];

    public static Benchmark<SessionsOptions, SessionsReport> Define()
    {
        Option<string?> peers = OptionText.Create(
            "--peers", "LIST", $"Sessions in the table, one or several numbers. Default: {DefaultPeers}.");
        return new(
            SessionsReport.KindName,
            "Fill a socket, then drain it with a session lookup per datagram, and time that. Loopback has one peer "
                + "per socket, so a prepared sequence gives each datagram its peer: in runs of 64, or all "
                + "scattered.")
        {
            Cpus = BenchCpus.OneThread,
            TakesSizes = true,
            QuickBudget = TimeSpan.FromSeconds(6),

            // Filling and emptying tables takes a while, too.
            MaxOver = TimeSpan.FromSeconds(120),
            OwnOptions = [peers],
            ReadOwn = (parsed, _, options) => options.PeerCounts = NumberList.ReadCounts(
                parsed, peers, 1, SessionsOptions.MaxPeerCount, DefaultPeers, SessionsOptions.MaxPeerCounts)
                ?? options.PeerCounts,
            Measure = static (options, placement, course) => new SessionsBench(
                options,
                placement.ReceiverCpu,
                static (row, sizeBytes, wantedCount) => new SessionsSocket(row, sizeBytes, wantedCount),
                static peerCount => new PeerSet(peerCount),
                AgingProbe.RunOnce,
                course).Execute(),
            Write = SessionsReport.Write,
            Examples =
            [
                "spate bench sessions",
                "spate bench sessions --peers 10k,1m --size 64",
                "spate bench sessions --quick --json -",
                "spate bench sessions --fail-if 'rows[scattered].timesOneSession > 3'",
            ],
        };
    }

    protected override int RunRounds()
    {
        int[] peerCounts = [1, .. options.PeerCounts.Where(static count => count != 1).Distinct()];
        _sets = MakeSets(peerCounts, out TimeSpan agingTime);
        try
        {
            foreach (int sizeBytes in options.SizesBytes)
            {
                _sockets.Add(open(_row, sizeBytes, options.DatagramCount));
                Cells.AddRange(CellsOf(_sockets[^1]));
            }

            // The figures of every row are differences and ratios to two other rows, so no row can be left out.
            return Runner(options.RoundCount, needsEveryCell: true).RunCounted(
                WarmUpShare, options.RoundCount, options.Budget - agingTime,
                (cell, maxTime) => cell.WarmUp(maxTime, _random), (cell, _) => cell.Measure(_random));
        }
        catch (SocketException e)
        {
            throw new BenchException($"The sockets of {_row.Name} failed: {PrintableText.OneLine(e.Message)}", e);
        }
    }

    protected override SessionsReport ToReport(IReadOnlyList<SessionsCell> measured)
    {
        AgingPasses? aging = AgingProbe.Measure(_sets.MaxBy(static set => set.Count)!.Peers, age, Course);
        return new SessionsReport
        {
            Rows =
            [
                .. Cells.Chunk(Cells.Count / _sockets.Count).SelectMany(static cells => cells.Skip(1).Select(
                    cell => cell.ToRow(bare: cells[0], one: cells[1]))),
            ],
            AgingPeers = aging?.PeerCount ?? 0,
            AgingPassMicroseconds = aging?.LongestMicroseconds ?? 0,
            AgingPassSeenMicroseconds = aging?.SeenMicroseconds ?? 0,
            AgingPasses = aging?.PassCount ?? 0,
            TableBytes = aging?.TableBytes ?? 0,
            SocketRow = _row.Name,
            Threads = [ThreadReport.At("drain", cpu)],
            Backend = NameText.Of(_row.Backend),
            Offloads = _row.UsesOffloads ? ["gso", "gro"] : [],
            Flows = 1,
            GsoFallbacks = _sockets.Sum(static socket => socket.GsoFallbacks),
            BufferGrantedBytes = _sockets.Max(static socket => socket.BufferGrantedBytes),
        };
    }

    protected override void Close() => _sockets.ForEach(static socket => socket.Dispose());

    /// <summary>The cells without a table, with one peer, and with each number of peers in both patterns.</summary>
    private SessionsCell[] CellsOf(ISessionsPair socket) =>
    [
        new(socket, peers: null, SessionsCell.RunsShift, Course.Time),
        .. _sets.SelectMany(set => set.Count == 1
            ? new[] { SessionsCell.RunsShift }
            : [SessionsCell.RunsShift, SessionsCell.ScatteredShift],
            (set, runShift) => new SessionsCell(socket, set, runShift, Course.Time)),
    ];

    /// <summary>Fills the tables, which takes part of the budget. Their ageing takes another part.</summary>
    private PeerSet[] MakeSets(int[] peerCounts, out TimeSpan agingTime)
    {
        List<PeerSet> sets = [];
        TimeSpan longest = TimeSpan.Zero;
        foreach (int count in peerCounts)
        {
            Course.CancellationToken.ThrowIfCancellationRequested();
            if (Course.Budget.Elapsed > options.Budget / 2)
            {
                throw new BenchException(
                    $"Filling the tables of {string.Join(", ", peerCounts)} sessions takes over half of the "
                    + $"{options.Budget.TotalSeconds:0.#} s; use fewer peers, or more time.");
            }

            TimeSpan before = Course.Budget.Elapsed;
            sets.Add(fill(count));
            TimeSpan took = Course.Budget.Elapsed - before;
            longest = took > longest ? took : longest;
        }

        agingTime = AgingProbe.TimesFilling * longest;
        return [.. sets];
    }
}

/// <summary>One number of peers in one pattern at one size. Null peers drain without a table.</summary>
internal sealed class SessionsCell(ISessionsPair socket, PeerSet? peers, int runShift, TimeProvider time)
    : BenchCell<double>(
        peers is null ? "no table" : $"{peers.Count} peers, {PatternOf(runShift)}", socket.SizeBytes)
{
    /// <summary>Runs of 64 datagrams, as many as the kernel coalesces into one buffer (UDP_MAX_SEGMENTS).</summary>
    public const int RunsShift = 6;

    /// <summary>Runs of one datagram: each comes from another peer than the one before.</summary>
    public const int ScatteredShift = 0;

    // Tiered compilation recompiles a method after 30 calls, but only after 100 ms without new methods
    // (TC_CallCountingDelayMs). Rounds take a few milliseconds.
    private static readonly TimeSpan MaxWarmUp = TimeSpan.FromMilliseconds(250);

    private readonly UdpEndPoint[] _sequence =
        peers is null ? [] : new UdpEndPoint[((socket.DatagramCount - 1) >> runShift) + 1];

    public ISessionsPair Socket { get; } = socket;

    public PeerSet? Peers { get; } = peers;

    public string Pattern { get; } = PatternOf(runShift);

    /// <summary>Runs rounds that are not counted. None begins after <paramref name="maxTime"/>.</summary>
    public void WarmUp(TimeSpan maxTime, Random random)
    {
        maxTime = maxTime < MaxWarmUp ? maxTime : MaxWarmUp;
        long begin = time.GetTimestamp();
        do
        {
            _ = Measure(random);
        }
        while (time.GetElapsedTime(begin) < maxTime);
    }

    /// <summary>Nanoseconds per datagram. Throws if datagrams were lost, since the time would mean nothing.</summary>
    public double Measure(Random random)
    {
        if (Peers is not null) BenchPeers.Draw(Peers.Peers, _sequence, random);
        int sent = Socket.Fill(Socket.DatagramCount);
        long start = time.GetTimestamp();
        int drained = Peers is null
            ? Socket.Drain(Socket.DatagramCount)
            : Socket.Drain(Peers.Table, _sequence, runShift);
        TimeSpan elapsed = time.GetElapsedTime(start);
        return sent == 0 || drained != sent
            ? throw new BenchException(
                $"{sent} of {Socket.DatagramCount} datagrams of {Socket.SizeBytes} bytes were sent and {drained} "
                + $"drained, with a receive buffer of {Socket.BufferGrantedBytes} bytes.")
            : elapsed.TotalNanoseconds / sent;
    }

    /// <summary>The cell <paramref name="bare"/> has no table, <paramref name="one"/> has one peer.</summary>
    public SessionsRow ToRow(SessionsCell bare, SessionsCell one)
    {
        double[] own = [.. Rounds];
        return new SessionsRow
        {
            Peers = Peers!.Count,
            Pattern = Pattern,
            SizeBytes = SizeBytes,
            NanosecondsPerDatagram = Statistics.Median(own),
            TableNanosecondsPerDatagram = Statistics.Median(
                [.. Rounds.Zip(bare.Rounds, static (with, without) => with - without)]),
            TimesOneSession = Statistics.MedianRatio(own, [.. one.Rounds]),
            SpreadPercent = Statistics.SpreadPercent(own),
            Samples = own,
        };
    }

    private static string PatternOf(int runShift) => runShift == ScatteredShift ? "scattered" : "runs";
}
