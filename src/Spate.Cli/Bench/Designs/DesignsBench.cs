using System.CommandLine;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Shell.Options;
using Spate.HostTuning.Placement;
using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Cli.Bench.Designs;

/// <summary>The settings of <c>spate bench designs</c>.</summary>
internal sealed class DesignOptions : BenchOptions
{
    public const int MaxThreadCount = 256;

    public const int MaxFlowCount = 1024;

    public const long MaxCount = 1_000_000_000;

    public DesignOptions() => (SizeBytes, Budget, RoundCount) = (1024, TimeSpan.FromSeconds(170), 5);

    /// <summary>Null (the default) runs all, those of Windows on Windows only.</summary>
    public IReadOnlyList<string>? RowNames { get; set; }

    /// <summary>Rounds of <see cref="WorkLoad"/> per datagram. Each number gives a set of rows.</summary>
    public IReadOnlyList<int> WorkRounds { get; set; } = [0, 500];

    /// <summary>For every row, all rounds together. The published method sends 50 million over 10 Gbit/s.</summary>
    public long Count { get; set; } = 5_000_000;

    /// <summary>Threads that run handlers. Each number gives a set of rows.</summary>
    public IReadOnlyList<int> ThreadCounts { get; set; } = [8];

    /// <summary>Source ports of the generator, the same for all rows; null takes one per thread.</summary>
    public int? FlowCount { get; set; }

    /// <summary>One for each thread in turn; if empty, the system decides. The sender is the generator.</summary>
    public IReadOnlyList<int> ServerCpus { get; set; } = [];

    /// <summary>The receive buffer of the shared socket, or of all shards together.</summary>
    public int BufferBytes { get; init; } = 128 * 1024 * 1024;

    internal long RoundDatagrams => Math.Max(1, Count / RoundCount);
}

/// <summary>One design with one amount of work and one number of threads, and its rounds so far.</summary>
internal sealed class DesignCell(DesignTarget target, int threadCount, int workRounds, DesignOptions options)
    : BenchCell<DesignMeasurement>(
        target.Name + (options.ThreadCounts.Count == 1 ? "" : $" on {threadCount} threads")
            + (workRounds == 0 ? "" : $" with work {workRounds}"),
        options.SizeBytes)
{
    public DesignTarget Target { get; } = target;

    public int ThreadCount { get; } = threadCount;

    public int WorkRounds { get; } = workRounds;
}

/// <summary>
/// <c>spate bench designs</c>: all ways to divide a server's work among threads, with the same datagrams from the same
/// generator. Tests replace <paramref name="runRound"/>.
/// </summary>
internal sealed class DesignsBench(
    DesignOptions options,
    int? generatorCpu,
    double nanosecondsPerWorkRound,
    IReadOnlyList<DesignTarget> targets,
    Func<DesignCell, long, TimeSpan, DesignMeasurement> runRound,
    BenchCourse course)
    : BenchRun<DesignCell, DesignMeasurement, DesignsReport>(course)
{
    private const int QuickRounds = 3;

    // Datagrams for every row of a quick run, all rounds together.
    private const long QuickCount = 600_000;

    // Enough datagrams for tiered compilation to optimise the loops.
    private const long MinWarmUpDatagrams = 100_000;
    private const long MaxWarmUpDatagrams = 250_000;
    private const int WarmUpShare = 4;

    // The warm-up takes at most a quarter of the time.
    private const int WarmUpTimeShare = 4;

    public static Benchmark<DesignOptions, DesignsReport> Define()
    {
        Option<string?> rows = BenchOptionSet.CreateRows();
        Option<string?> work = OptionText.Create(
            "--work", "LIST", "Rounds of a small computation per datagram, one or several numbers. Default: 0,500.");
        Option<string?> count = OptionText.Create(
            "--count", "N", "Datagrams per row, divided among the rounds. Default: 5m; with --quick 600k.");
        Option<string?> threads = OptionText.Create(
            "--threads", "LIST", "Threads of the server, one or several numbers. Default: 8.");
        Option<string?> flows = OptionText.Create(
            "--flows", "N", "Source ports of the generator. Default: one per thread.");
        return new(
            DesignsReport.KindName,
            "Compare server designs under the same load. Takes about 3 minutes; slow hosts run fewer rounds.")
        {
            Cpus = BenchCpus.Server,
            CpuText = "CPU of the generator, then of the server's threads, such as 0,1, or auto, which prints reasons. "
                + "Default: auto for the generator, any for the server.",
            QuickBudget = TimeSpan.FromSeconds(40),
            OwnOptions = [rows, work, count, threads, flows],
            ReadOwn = (parsed, common, options) =>
            {
                if (common.IsQuick(parsed)) (options.RoundCount, options.Count) = (QuickRounds, QuickCount);
                options.ThreadCounts = NumberList.ReadCounts(
                    parsed, threads, 1, DesignOptions.MaxThreadCount, "1,8", BenchOptions.MaxSizeCount)
                    ?? options.ThreadCounts;
                IReadOnlyList<int> cpus = common.Cpu.ReadServer(parsed, options.ThreadCounts.Max());
                options.SenderCpu = cpus.Count == 0 ? null : cpus[0];
                options.ServerCpus = [.. cpus.Skip(1)];
                options.RowNames = BenchOptionSet.ReadRows(
                    parsed, rows, [.. DesignTarget.All.Select(static target => target.Name)]);
                options.WorkRounds = NumberList.ReadCounts(
                    parsed, work, 0, WorkLoad.MaxRounds, "0,500", BenchOptions.MaxSizeCount) ?? options.WorkRounds;
                options.Count = UnitText.ReadCount(parsed, count, options.RoundCount, DesignOptions.MaxCount)
                    ?? options.Count;
                options.FlowCount = (int?)UnitText.ReadCount(parsed, flows, 1, DesignOptions.MaxFlowCount);
            },
            Measure = Measure,
            Write = DesignText.Write,
            Examples =
            [
                "spate bench designs",
                "spate bench designs --quick --work 0 --threads 1,8",
                "spate bench designs --rows one-by-one,ring,adaptive --count 2m --cpu 0,1",
                "spate bench designs --json designs.json",
                "spate bench designs --fail-if 'rows[adaptive].processedPercent < 100'",
            ],
        };
    }

    protected override int RunRounds()
    {
        DesignTarget[] available =
            [.. targets.Where(target => Course.Skipped.IsAvailable(target.Name, target.UnavailableReason))];
        Cells.AddRange(options.ThreadCounts.SelectMany(threads => options.WorkRounds.SelectMany(
            work => available.Select(target => new DesignCell(target, threads, work, options)))));
        long all = options.RoundDatagrams;
        long warmUp = Math.Min(all, Math.Clamp(all / WarmUpShare, MinWarmUpDatagrams, MaxWarmUpDatagrams));
        return Runner(options.RoundCount).RunCounted(
            WarmUpTimeShare,
            options.RoundCount,
            options.Budget,
            (cell, sending) => runRound(cell, warmUp, sending),
            (cell, sending) => runRound(cell, all, sending));
    }

    protected override DesignsReport ToReport(IReadOnlyList<DesignCell> measured)
    {
        DesignRow[] rows = Course.RequireRows(measured.Select(static cell =>
            DesignRow.Of(cell.Target, cell.ThreadCount, cell.WorkRounds, cell.Rounds)));
        DesignMeasurement[] rounds = [.. measured.SelectMany(static cell => cell.Rounds)];
        return new DesignsReport
        {
            SizeBytes = options.SizeBytes,
            DatagramsPerRound = options.RoundDatagrams,
            NanosecondsPerWorkRound = nanosecondsPerWorkRound,
            Notes =
            [
                .. rows.Zip(measured, (row, cell) => DesignNotes.Of(row, cell.Rounds, options.RoundDatagrams))
                    .SelectMany(static notes => notes).Distinct(StringComparer.Ordinal),
            ],
            Rows = rows,
            Threads =
            [
                ThreadReport.At("send", generatorCpu),
                .. options.ServerCpus.Select(static cpu => ThreadReport.At("receive", cpu)),
            ],
            Flows = options.FlowCount ?? options.ThreadCounts.Max(),
            GsoFallbacks = rounds.Sum(static round => round.GsoFallbacks),
            BufferAskedBytes = options.BufferBytes,
            BufferGrantedBytes = rounds.Max(static round => round.BufferGrantedBytes),
        };
    }

    private static DesignsReport Measure(DesignOptions options, CpuPlacement placement, BenchCourse course)
    {
        int? generatorCpu = placement.SenderCpu;
        DesignTarget[] targets = [.. DesignTarget.All.Where(target =>
            options.RowNames?.Contains(target.Name, StringComparer.Ordinal) ?? target.IsDefault)];
        return new DesignsBench(
            options, generatorCpu, WorkLoad.MeasureNanosecondsPerRound(), targets, RunRound, course).Execute();

        DesignMeasurement RunRound(DesignCell cell, long count, TimeSpan sending) =>
            new DesignRound(options, cell.Target, cell.ThreadCount, cell.WorkRounds, course.CancellationToken)
                .Measure(count, sending, generatorCpu);
    }
}

/// <summary>A row of the comparison: a design, with or without GSO messages and coalesced buffers.</summary>
internal sealed record DesignTarget(ServerDesign Design, bool IsCoalesced = false)
{
    // Only Windows may refuse several shards, by a rule of the library that depends on the backend.
    private static readonly Lazy<string?> ShardsMissing = new(static () =>
    {
        if (!OperatingSystem.IsWindows()) return null;

        try
        {
            var options = new UdpServerOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(0)],
                Design = UdpServerDesign.Sharded,
                ThreadCount = 2,
            };
            UdpServer.Start(options, static _ => new CountingHandler(workRounds: 0)).Dispose();
            return null;
        }
        catch (NotSupportedException fault)
        {
            return fault.Message;
        }
    });

    /// <summary>Of those of any system <c>sharded</c> comes last, next to its row with coalescing.</summary>
    public static IReadOnlyList<DesignTarget> All { get; } =
    [
        .. ServerDesign.OfAnySystem.OrderBy(static one => one.Kind == UdpServerDesign.Sharded)
            .Select(static one => new DesignTarget(one)),
        new(ServerDesign.Sharded, IsCoalesced: true),
        .. ServerDesign.OfWindows.Select(static one => new DesignTarget(one)),
    ];

    public string Name => IsCoalesced ? Design.Name + "-gro" : Design.Name;

    /// <summary>Whether the row runs without being named: those of Windows do on Windows only.</summary>
    public bool IsDefault => Design.Backend is null || OperatingSystem.IsWindows();

    public string? UnavailableReason =>
        IsCoalesced ? SpateRow.ReasonOfMissing(
            UdpCapabilities.Current.SegmentedSend, UdpCapabilities.Current.CoalescedReceive)
        : Design.Kind == UdpServerDesign.Sharded ? ShardsMissing.Value
        : Design.UnavailableReason;
}
