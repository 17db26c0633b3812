using System.Diagnostics.CodeAnalysis;
using Spate.Measurement.Bench.Drain;
using Spate.Measurement.Bench.Throughput;
using Spate.Measurement.Reports;
using Spate.Measurement.Serving;
using Spate.Measurement.Testing;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.Planning;

/// <summary>What a machine was measured to receive, which a plan stands on.</summary>
/// <param name="Source">The measurement, for example <c>bench, spate-mmsg</c>.</param>
/// <param name="SizeBytes">Payload bytes of its datagrams; null where they varied.</param>
/// <param name="CapacityPerSecond">Datagrams a second that the receiving threads can take.</param>
/// <param name="MeasuredPerSecond">Datagrams a second that did arrive; null where none were offered for a time.</param>
/// <param name="LostPercent">The loss at that rate; null where it is not known.</param>
/// <param name="CpuNanosecondsPerDatagram">CPU time of the receiving side for each datagram.</param>
/// <param name="Threads">The receiving threads.</param>
/// <param name="Cpus">The CPUs that the process could use; null where the report does not tell.</param>
public sealed record PlanBasis(
    string Source,
    int? SizeBytes,
    double CapacityPerSecond,
    double? MeasuredPerSecond,
    double? LostPercent,
    double CpuNanosecondsPerDatagram,
    int Threads,
    int? Cpus)
{
    private const string CoalescedName = "gro";

    /// <summary>The rows of <c>spate bench</c> that a plan can stand on.</summary>
    public static IReadOnlyList<string> BenchRowNames { get; } =
        [.. BenchRun.RowNames.Where(static name => name is "spate-mmsg" or "spate-portable")];

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
        basis = report switch
        {
            TrafficReport { Kind: TrafficReport.ReceiveKind } receiver =>
                OfEnd("receive", receiver, receiver.Threads.Length),
            ServeReport server => OfEnd($"serve, {server.App}, {server.Design}", server, server.Threads.Length),
            TestReport test => OfTest(test),
            BenchReport bench => OfBench(bench, sizeBytes),
            DrainReport drain => OfDrain(drain, sizeBytes),
            _ => null,
        };
        error = basis is not null ? null
            : report is TrafficReport { Kind: TrafficReport.SendKind }
                ? "a sender's report does not tell what a machine receives: expected one of receive, serve, test, "
                    + "bench or bench drain"
                : $"a report of kind {report.Kind} in which nothing was received is no ground for a plan: expected one "
                    + "of receive, serve, test, bench or bench drain";
        return error is null;
    }

    private static PlanBasis? OfEnd(string source, EndReport end, int threads)
    {
        double cpuSeconds = end.CpuUserSeconds + end.CpuSystemSeconds;
        if (end.Datagrams <= 0 || !(cpuSeconds > 0)) return null;

        double nanoseconds = 1e9 * cpuSeconds / end.Datagrams;
        int? cpus = end.Cpus > 0 ? end.Cpus : null;
        threads = Math.Clamp(threads, 1, Math.Max(1, cpus ?? threads));
        double byCpu = threads * 1e9 / nanoseconds;
        double? rate = end.DatagramsPerSecond;

        // What the run did without loss a machine can do, whatever its CPU time suggests. Where it lost, it can not.
        double capacity = end.LostPercent switch
        {
            0 => Math.Max(byCpu, rate ?? 0),
            > 0 => Math.Min(byCpu, rate ?? byCpu),
            _ => byCpu,
        };
        if (!double.IsFinite(capacity) || !(capacity > 0)) return null;

        return new PlanBasis(
            source, end.SizeBytes, capacity, rate, end.LostPercent, nanoseconds, threads, cpus);
    }

    private static PlanBasis? OfTest(TestReport test)
    {
        TrafficReport? received = test.Remote.Received ?? test.Local.Received;
        return received is null ? null : OfEnd("test", received, received.Threads.Length);
    }

    private static PlanBasis? OfBench(BenchReport bench, int sizeBytes)
    {
        BenchRow? row = Nearest(bench.Rows, sizeBytes, static one => one.Name, static one => one.SizeBytes);
        return row is not { ReceiveNanosecondsPerDatagram: { } nanoseconds, DatagramsPerSecond: > 0 } ? null
            : new PlanBasis(
                $"bench, {row.Name}", row.SizeBytes, row.DatagramsPerSecond, row.DatagramsPerSecond, row.LostPercent,
                nanoseconds, Threads: 1, bench.Cpus);
    }

    private static PlanBasis? OfDrain(DrainReport drain, int sizeBytes)
    {
        DrainRow? row = Nearest(drain.Rows, sizeBytes, static one => one.Name, static one => one.SizeBytes);
        return row is not { ReceiveNanosecondsPerDatagram: > 0 } ? null
            : new PlanBasis(
                $"drain, {row.Name}", row.SizeBytes, 1e9 / row.ReceiveNanosecondsPerDatagram, MeasuredPerSecond: null,
                LostPercent: null, row.ReceiveNanosecondsPerDatagram, Threads: 1, drain.Cpus);
    }

    // Many clients send no trains, so a row that coalesces would promise too much.
    private static TRow? Nearest<TRow>(TRow[] rows, int sizeBytes, Func<TRow, string> nameOf, Func<TRow, int> sizeOf)
        where TRow : class => rows
            .Where(row => nameOf(row).StartsWith("spate-", StringComparison.Ordinal)
                && !nameOf(row).EndsWith(CoalescedName, StringComparison.Ordinal))
            .OrderBy(row => Math.Abs((long)sizeOf(row) - sizeBytes))
            .ThenByDescending(row => nameOf(row) is "spate-mmsg")
            .FirstOrDefault();
}
