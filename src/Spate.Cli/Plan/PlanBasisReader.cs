using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Serve;
using Spate.Measurement.HostUse;
using Spate.Measurement.PathTest;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Plan;

/// <summary>Reads from a report what its machine can receive.</summary>
internal static class PlanBasisReader
{
    /// <summary>
    /// The datagrams from which on a run tells what one of them costs: 1000. The first ones of a run warm the caches.
    /// </summary>
    public const int MinDatagrams = 1000;

    private const string Expected = "expected a report of receive, serve, test, bench or bench drain";
    private const string CoalescedName = "gro";

    // A report does not tell how many datagrams a buffer had. Calls of about one datagram cannot have been coalesced.
    private const double MinCoalescedPerCall = 1.1;

    // Beyond what any machine has, and small enough for every figure of a plan to be finite.
    private const double MinCapacityPerSecond = 1e-3;
    private const double MaxCapacityPerSecond = 1e12;
    private const double MaxCpuNanoseconds = 1e12;
    private const int MaxSizeBytes = 65_535;
    private const int MaxThreads = 1 << 16;

    private static readonly string[] HandledAssumptions = ["the handler's work is that of the measured server"];

    private static readonly string[] ReceivedAssumptions =
    [
        "a datagram is received and looked at, no more: the work of your program comes on top, and a report of "
            + "spate serve --work includes it",
    ];

    /// <summary>Reads what a report says of receiving.</summary>
    /// <param name="report">One of <c>receive</c>, <c>serve</c>, <c>test</c>, <c>bench</c> or <c>drain</c>.</param>
    /// <param name="sizeBytes">The size of the plan: of several rows, the one with the nearest size counts.</param>
    /// <param name="basis">What was measured; null where the report does not tell.</param>
    /// <param name="error">Why it does not, in one line; null on success.</param>
    public static bool TryRead(
        Report report,
        int sizeBytes,
        [NotNullWhen(true)] out PlanBasis? basis,
        [NotNullWhen(false)] out string? error)
    {
        (basis, error) = report switch
        {
            TrafficReport { Kind: TrafficReport.ReceiveKind } end => OfEnd("receive", end, end.LostPercent),
            ServeReport server => OfEnd($"serve, {server.App}, {server.Design}", server, server.LostPercent),
            TestReport test => OfTest(test),
            BenchReport bench => OfBench(bench, sizeBytes),
            DrainReport drain => OfDrain(drain, sizeBytes),
            TrafficReport => Refused($"a sender's report does not tell what a machine receives: {Expected}"),
            _ => Refused($"a report of kind {report.Kind} does not tell what a machine receives: {Expected}"),
        };
        if (basis is not null && !IsPossible(basis))
        {
            (basis, error) = Refused(
                "it has figures that no machine can have (rate, loss, CPU time, size or threads): measure again");
        }

        error ??= basis is null ? Expected : null;
        return error is null;
    }

    private static (PlanBasis? Basis, string? Error) Refused(string error) => (null, error);

    private static bool IsPossible(PlanBasis basis) =>
        basis.CapacityPerSecond is >= MinCapacityPerSecond and <= MaxCapacityPerSecond
        && basis.MeasuredPerSecond is null or (>= 0 and <= MaxCapacityPerSecond)
        && basis.LostPercent is null or (>= 0 and <= 100)
        && basis.CpuNanosecondsPerDatagram is null or (> 0 and <= MaxCpuNanoseconds)
        && basis.SizeBytes is null or (>= 0 and <= MaxSizeBytes)
        && basis.Threads is >= 1 and <= MaxThreads
        && basis.Cpus is null or (>= 1 and <= MaxThreads);

    private static (PlanBasis? Basis, string? Error) OfEnd(
        string source, EndReport end, double? lostPercent, bool isAlone = true)
    {
        if (end.Datagrams < MinDatagrams)
        {
            return Refused(Text(
                $"it has too few datagrams ({end.Datagrams}): expected {MinDatagrams}, which tell what one costs"));
        }

        int? cpus = end.Cpus > 0 ? end.Cpus : null;
        IReadOnlyList<ThreadReport> reports = end.WorkingThreads;
        int threads = Math.Max(1, Math.Min(reports.Count, cpus ?? reports.Count));
        (double? nanoseconds, string assumption) = CpuOf(end, isAlone);
        double? rate = end.DatagramsPerSecond;

        // What the run did without loss a machine can do, whatever its CPU time suggests. Where it lost, it can not.
        double? byCpu = CapacityByCpu(end, reports, nanoseconds, threads);
        double? capacity = lostPercent switch
        {
            0 => Math.Max(byCpu ?? 0, rate ?? 0),
            > 0 => Math.Min(byCpu ?? double.MaxValue, rate ?? double.MaxValue),
            _ => byCpu ?? rate,
        };
        if (capacity is null or <= 0 or double.MaxValue)
        {
            return Refused("it tells neither a rate nor the CPU time of a datagram: measure for a second or more");
        }

        string[] all = end is ServeReport ? [.. HandledAssumptions, assumption] : [.. ReceivedAssumptions, assumption];
        if (threads > 1) all = [.. all, $"{threads} threads share the load evenly, and receive {threads} times one's"];
        double? perCall = end.Calls > 0 ? (double)end.Datagrams / end.Calls : null;
        return (new PlanBasis(source, end.SizeBytes, capacity.Value, rate, lostPercent, nanoseconds, threads, cpus)
        {
            IsCoalesced = end.Offloads.Contains(CoalescedName, StringComparer.Ordinal) && !(
                perCall < MinCoalescedPerCall),
            DatagramsPerCall = perCall,
            Assumptions = all,
        }, null);
    }

    private static (double? Nanoseconds, string Assumption) CpuOf(EndReport end, bool isAlone)
    {
        var cost = EndCpu.Of(end);
        if (cost.NanosecondsPerDatagram is { } own)
        {
            return (own, "the CPU time is that of the receiving threads; what the kernel does in soft interrupts "
                + "outside them, and for the card, comes on top");
        }

        double process = 1e9 * (end.CpuUserSeconds + end.CpuSystemSeconds) / end.Datagrams;
        return isAlone && !end.Spins && process > 0
            ? (process, "the CPU time is that of the whole process, since the report does not tell that of its threads")
            : (null, "the CPU share is not known, and the rate of the run is what a machine can receive: "
                + cost.NoMeasure);
    }

    // A thread that receives for the others passes every datagram on, so it is a limit of its own.
    private static double? CapacityByCpu(
        EndReport end, IReadOnlyList<ThreadReport> reports, double? nanoseconds, int threads)
    {
        if (nanoseconds is null) return null;

        double capacity = threads * 1e9 / nanoseconds.Value;
        long? reader = end is ServeReport
            ? reports.FirstOrDefault(static one => one.Role is ServerThreadReport.ReceiveRole)?.CpuNanoseconds
            : null;
        return reader > 0 ? Math.Min(capacity, 1e9 * end.Datagrams / reader.Value) : capacity;
    }

    // Both ends of a direction know the receiver's figures, but only the direction knows all that was lost.
    private static (PlanBasis? Basis, string? Error) OfTest(TestReport test)
    {
        bool isRemote = test.Remote.Received is not null;
        if ((test.Remote.Received ?? test.Local.Received) is not { } received)
        {
            return Refused("it has no end that received: run the test again");
        }

        string from = isRemote ? TestDirectionReport.ClientName : TestDirectionReport.ServerName;
        double? lost = Array.Find(
            test.Directions, one => one.From.Equals(from, StringComparison.Ordinal))?.LostPercent;
        bool isAlone = (isRemote ? test.Remote : test.Local).Sent is null;
        string source = $"test, received by the {(isRemote ? "server" : "client")}";
        return OfEnd(source, received, lost ?? received.LostPercent, isAlone);
    }

    private static (PlanBasis? Basis, string? Error) OfBench(BenchReport bench, int sizeBytes)
    {
        BenchRow? row = Nearest(bench.Rows, sizeBytes, static one => one.Name, static one => one.SizeBytes);
        return row is null ? NoRow(bench.Kind)
            : (new PlanBasis(
                $"bench, {row.Name}", row.SizeBytes, row.DatagramsPerSecond, row.DatagramsPerSecond, row.LostPercent,
                row.ReceiveNanosecondsPerDatagram, Threads: 1, CpusOf(bench))
            {
                Assumptions = RoundsAssumptions(bench),
                DatagramsPerCall = row.DatagramsPerCall,
                Interrupted = bench.Interrupted,
            }, null);
    }

    private static (PlanBasis? Basis, string? Error) OfDrain(DrainReport drain, int sizeBytes)
    {
        DrainRow? row = Nearest(drain.Rows, sizeBytes, static one => one.Name, static one => one.SizeBytes);
        return row is null ? NoRow(drain.Kind)
            : (new PlanBasis(
                $"drain, {row.Name}", row.SizeBytes, 1e9 / row.ReceiveNanosecondsPerDatagram, MeasuredPerSecond: null,
                LostPercent: null, row.ReceiveNanosecondsPerDatagram, Threads: 1, CpusOf(drain))
            {
                Interrupted = drain.Interrupted,
                Assumptions =
                [
                    .. RoundsAssumptions(drain),
                    "the socket is never empty: no time for waking the reader is counted, which a real load has",
                ],
            }, null);
    }

    private static (PlanBasis? Basis, string? Error) NoRow(string kind) => Refused(
        $"the report of kind {kind} has no row of {string.Join(" or ", PlanBasis.BenchRowNames)}, of which a plan can "
        + "be made: measure with it");

    private static string[] RoundsAssumptions(RoundsReport report)
    {
        string[] all =
        [
            .. ReceivedAssumptions,
            "the CPU time is that of the receiving thread on the loopback; what the kernel does in soft interrupts "
                + "outside the thread, and for a card, comes on top",
        ];
        string rounds = report.Rounds == 1 ? "1 round" : Text($"{report.Rounds} rounds");
        return report.Interrupted ? [.. all, $"the bench was interrupted after {rounds}"] : all;
    }

    private static int? CpusOf(MeasurementReport report) => report.Cpus > 0 ? report.Cpus : null;

    // Many clients send no GSO messages, so a row that coalesces would promise too much.
    private static TRow? Nearest<TRow>(TRow[] rows, int sizeBytes, Func<TRow, string> nameOf, Func<TRow, int> sizeOf)
        where TRow : class => rows
            .Where(row => PlanBasis.BenchRowNames.Contains(nameOf(row), StringComparer.Ordinal))
            .OrderBy(row => Math.Abs((long)sizeOf(row) - sizeBytes))
            .ThenByDescending(row => nameOf(row) is "spate-mmsg")
            .FirstOrDefault();

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
