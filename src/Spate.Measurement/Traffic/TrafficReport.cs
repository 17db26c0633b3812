using System.Globalization;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Measurement.HostUse;
using Spate.Measurement.Loss;
using Spate.Measurement.Pacing;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Traffic;

/// <summary>The report of a sender or a receiver of traffic, kind <c>send</c> or <c>receive</c>.</summary>
internal sealed record TrafficReport : EndReport
{
    public const string SendKind = "send";

    public const string ReceiveKind = "receive";

    [JsonPropertyOrder(-15)]
    public ThreadReport[] Threads { get; set; } = [];

    /// <summary>How the rate was kept; null for a receiver and for no limit.</summary>
    public PacingReport? Pacing { get; set; }

    /// <summary>
    /// By <see cref="LossPlace"/>, as far as the receiver alone can tell; null where it judges nothing.
    /// </summary>
    [MapNames(typeof(LossPlace))]
    public IReadOnlyDictionary<string, long>? LostWhere { get; set; }

    /// <summary>Lost datagrams that are in no place of <see cref="LostWhere"/>; null where that is null.</summary>
    public long? Unexplained { get; set; }

    /// <summary>In one sentence; null where nothing was lost, or nothing is judged.</summary>
    public string? Verdict { get; set; }

    /// <summary>A command or options; null where nothing was lost or none is known.</summary>
    public string? Remedy { get; set; }

    internal override IReadOnlyList<ThreadReport> WorkingThreads => Threads;

    internal override IEnumerable<ReportSetting> MachineSettings => Pacing is null ? base.MachineSettings :
    [
        .. base.MachineSettings,
        new("pacing", Pacing.Mode),
        ReportSetting.Of("maxBurstMicroseconds", Pacing.MaxBurstMicroseconds),
    ];

    internal override CapacityReading? ReadCapacity(int sizeBytes) =>
        Kind is ReceiveKind ? new EndCapacity("receive", this).Read() : null;

    internal override JsonTypeInfo JsonType => TrafficJson.Default.TrafficReport;
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(TrafficReport))]
internal sealed partial class TrafficJson : JsonSerializerContext;

/// <summary>Reads from the report of a receiving end what its machine can receive.</summary>
internal sealed class EndCapacity(string source, EndReport end)
{
    /// <summary>From so many datagrams on a run tells their cost: the first ones warm the caches.</summary>
    public const int MinDatagrams = 1000;

    private const string CoalescedName = "gro";

    // A report does not tell how many datagrams a buffer had. Calls of about one datagram cannot have been coalesced.
    private const double MinCoalescedPerCall = 1.1;

    public double? LostPercent { get; init; } = end.LostPercent;

    public bool IsAlone { get; init; } = true;

    /// <summary>What the figures assume of the work on a datagram, in one sentence.</summary>
    public string WorkAssumption { get; init; } = MeasuredCapacity.ReceivedOnly;

    /// <summary>The CPU time of a thread that receives for the others; null for none.</summary>
    public long? ReaderNanoseconds { get; init; }

    public CapacityReading Read()
    {
        if (end.Datagrams < MinDatagrams)
        {
            return CapacityReading.Refused(string.Create(
                CultureInfo.InvariantCulture,
                $"it has too few datagrams ({end.Datagrams}): expected at least {MinDatagrams}"));
        }

        int? cpus = end.Cpus > 0 ? end.Cpus : null;
        IReadOnlyList<ThreadReport> reports = end.WorkingThreads;
        int threads = Math.Max(1, Math.Min(reports.Count, cpus ?? reports.Count));
        (double? nanoseconds, string assumption) = CpuTime();
        double? rate = end.DatagramsPerSecond;

        // What the run did without loss a machine can do, whatever its CPU time suggests. Where it lost, it can not.
        double? byCpu = CapacityByCpu(nanoseconds, threads);
        double? capacity = LostPercent switch
        {
            0 => Math.Max(byCpu ?? 0, rate ?? 0),
            > 0 => Math.Min(byCpu ?? double.MaxValue, rate ?? double.MaxValue),
            _ => byCpu ?? rate,
        };
        if (capacity is null or <= 0 or double.MaxValue)
        {
            return CapacityReading.Refused(
                "it has neither a rate nor the CPU time of a datagram: measure for a second or more");
        }

        string[] all = [WorkAssumption, assumption];
        if (threads > 1) all = [.. all, $"{threads} threads share the load evenly, and receive {threads} times one's"];
        double? perCall = end.Calls > 0 ? (double)end.Datagrams / end.Calls : null;
        return CapacityReading.Of(
            new(source, end.SizeBytes, capacity.Value, rate, LostPercent, nanoseconds, threads, cpus)
            {
                IsCoalesced = end.Offloads.Contains(CoalescedName, StringComparer.Ordinal)
                    && !(perCall < MinCoalescedPerCall),
                DatagramsPerCall = perCall,
                Assumptions = all,
            });
    }

    private (double? Nanoseconds, string Assumption) CpuTime()
    {
        var cost = EndCpu.Of(end);
        if (cost.NanosecondsPerDatagram is { } own)
        {
            return (own, "the CPU time is that of the receiving threads; softirq time outside them, "
                + "such as for the NIC, comes on top");
        }

        double process = 1e9 * (end.CpuUserSeconds + end.CpuSystemSeconds) / end.Datagrams;
        return IsAlone && !end.Spins && process > 0
            ? (process, "the CPU time is that of the whole process, because the report lacks that of its threads")
            : (null, "the CPU share is unknown, and the rate of the run is the capacity of a machine: "
                + cost.NoMeasure);
    }

    // A thread that receives for the others passes every datagram on, so it is a limit of its own.
    private double? CapacityByCpu(double? nanoseconds, int threads)
    {
        if (nanoseconds is null) return null;

        double capacity = threads * 1e9 / nanoseconds.Value;
        return ReaderNanoseconds is { } reader and > 0 ? Math.Min(capacity, 1e9 * end.Datagrams / reader) : capacity;
    }
}
