using System.CommandLine;
using System.Net;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Shell.Options;
using Spate.Measurement.HostUse;

namespace Spate.Cli.Bench.Relay;

/// <summary>The settings of <c>spate bench relay</c>.</summary>
internal sealed class RelayOptions : BenchOptions
{
    /// <summary>The lowest rate in datagrams per second: one GSO message of 64 in 64 ms.</summary>
    public const double MinRate = 1000;

    /// <summary>The highest rate in datagrams per second, far above what any of the relays reaches.</summary>
    public const double MaxRate = 10_000_000;

    public RelayOptions() => (SizeBytes, Budget, RoundCount) = (32, TimeSpan.FromSeconds(40), 5);

    /// <summary>From <see cref="MinRate"/> to <see cref="MaxRate"/>.</summary>
    public double DatagramsPerSecond { get; set; } = 100_000;

    /// <summary>The generators of every row: whether each sends GSO messages, or bursts of single datagrams.</summary>
    public IReadOnlyList<bool> Generators { get; set; } = [true, false];
}

/// <summary>A row of the relay bench.</summary>
/// <param name="Open">
/// Opens and starts a server that sends every datagram on to a destination, on a CPU. Those on pool threads are not
/// pinned.
/// </param>
internal sealed record RelayTarget(string Name, SpateRow? Row, Func<IPEndPoint, int?, BenchServer> Open)
{
    public const string BaselineName = "socket-async";

    /// <summary>In the order of the table.</summary>
    public static IReadOnlyList<RelayTarget> All { get; } =
    [
        new(BaselineName, null, static (destination, _) => new AsyncSocketServer(destination)),
        new(
            "socket-blocking",
            null,
            static (destination, cpu) => new BlockingSocketServer("bench relay", cpu, destination)),
        Spate(SpateRow.Mmsg),
        Spate(SpateRow.MmsgOffloads with { Name = "spate" }),
        Spate(SpateRow.UringOffloads with { Name = "spate-uring" }),
    ];

    /// <summary>Those of System.Net.Sockets are always available.</summary>
    public string? UnavailableReason => Row?.UnavailableReason;

    private static RelayTarget Spate(SpateRow row) =>
        new(row.Name, row, (destination, cpu) => new SpateServer(cpu, destination, socket: row.Options));
}

/// <summary>One relay with one kind of generator.</summary>
internal sealed class RelayCell(RelayTarget target, bool usesGso, int sizeBytes) : BenchCell<RelayMeasurement>(
    target.Name + (usesGso ? " with GSO messages" : " without GSO messages"), sizeBytes)
{
    public RelayTarget Target { get; } = target;

    public bool UsesGso { get; } = usesGso;
}

/// <summary>
/// <c>spate bench relay</c>: a generator sends at a fixed rate, a relay sends everything on to a sink, and the sink
/// counts. The relays are compared by their CPU time. Tests replace the rounds.
/// </summary>
internal sealed class RelayBench(
    RelayOptions options,
    CpuPlacement placement,
    IReadOnlyList<RelayTarget> targets,
    Func<RelayTarget, bool, TimeSpan, RelayMeasurement> runRound,
    BenchCourse course)
    : BenchRun<RelayCell, RelayMeasurement, RelayReport>(course)
{
    private const int QuickRoundCount = 3;
    private const string GsoChoices = "on, off or both";

    private static readonly TimeSpan MinRound = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan MaxWarmUp = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan MaxRound = TimeSpan.FromSeconds(2);

    private TimeSpan _roundDuration;

    public static Benchmark<RelayOptions, RelayReport> Define()
    {
        Option<string?> rate = OptionText.Create("--rate", "RATE", "Datagrams per second. Default: 100k.");
        Option<string?> gso = OptionText.Create(
            "--gso", "HOW", $"Whether the generator sends GSO messages: {GsoChoices}. Default: both.");
        return new(
            RelayReport.KindName,
            "Relay a fixed rate to one destination, and compare the CPU time of each kind of relay.")
        {
            Cpus = BenchCpus.TwoEnds,
            CpuText = "CPUs of generator and sink, and relay, such as 0,1, or auto, which prints its reasons. Default: "
                + "auto.",
            QuickBudget = TimeSpan.FromSeconds(12),
            MinSeconds = 2,
            OwnOptions = [rate, gso],
            ReadOwn = (parsed, common, options) =>
            {
                options.DatagramsPerSecond = ReadRate(parsed, rate) ?? options.DatagramsPerSecond;
                if (common.IsQuick(parsed)) options.RoundCount = QuickRoundCount;
                options.Generators = (parsed.GetValue(gso) ?? "both") switch
                {
                    "on" => [true],
                    "off" => [false],
                    "both" => options.Generators,
                    var how => throw OptionText.Wrong(gso, how, GsoChoices),
                };
            },
            Measure = static (options, placement, course) => new RelayBench(
                options, placement, RelayTarget.All, new RelayRound(options, placement, course.CancellationToken).Run,
                course).Execute(),
            Write = RelayReport.Write,
            Examples =
            [
                "spate bench relay",
                "spate bench relay --rate 50k --size 1200 --gso on",
                "spate bench relay --quick --json -",
                "spate bench relay --fail-if 'rows[*].lostPercent > 0'",
            ],
        };
    }

    protected override int RunRounds()
    {
        Cells.AddRange(options.Generators.SelectMany(usesGso => targets
            .Where(target => Course.Skipped.IsAvailable(target.Name, target.UnavailableReason))
            .Select(target => new RelayCell(target, usesGso, options.SizeBytes))));
        (_, TimeSpan warmUp) = BenchBudget.Fit(
            Course.Budget.Left, Cells.Count, RelayRound.Overhead, options.RoundCount + 1, MinRound, MaxWarmUp);
        (int complete, _roundDuration) = Runner(options.RoundCount).RunTimed(
            new RoundLengths(warmUp, MinRound, MaxRound, options.RoundCount),
            options.Budget,
            (cell, duration) => runRound(cell.Target, cell.UsesGso, duration));
        return complete;
    }

    protected override RelayReport ToReport(IReadOnlyList<RelayCell> measured) => new()
    {
        SizeBytes = options.SizeBytes,
        AskedDatagramsPerSecond = options.DatagramsPerSecond,
        Rows = Course.RequireRows(measured.Select(
            cell => RelayRow.Of(cell.Target.Name, cell.UsesGso, cell.Rounds, BaselineOf(cell)))),
        Placement = placement.Note,
        BurstDatagrams = RelayGenerator.BurstDatagrams,
        RoundSeconds = _roundDuration.TotalSeconds,
        Threads =
        [
            ThreadReport.At("generate", placement.SenderCpu),
            ThreadReport.At("sink", placement.SenderCpu),
            ThreadReport.At("relay", placement.ReceiverCpu),
        ],
        Flows = 1,
    };

    private static double? ReadRate(ParseResult parsed, Option<string?> option)
    {
        if (parsed.GetValue(option) is not { } text) return null;

        bool isRate = Rate.TryParse(text, out Rate rate);
        return isRate && rate.DatagramsPerSecond is >= RelayOptions.MinRate and <= RelayOptions.MaxRate
            ? rate.DatagramsPerSecond.Value
            : throw OptionText.Wrong(option, text, "datagrams per second from 1k to 10m");
    }

    private List<RelayMeasurement> BaselineOf(RelayCell cell) => Cells.Find(
        other => other.UsesGso == cell.UsesGso
            && string.Equals(other.Target.Name, RelayTarget.BaselineName, StringComparison.Ordinal))?.Rounds ?? [];
}
