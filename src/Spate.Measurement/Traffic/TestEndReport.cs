using System.Text.Json;
using System.Text.Json.Serialization;
using Spate.HostTuning.Counters;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;
using Spate.Measurement.Loss;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Traffic;

/// <summary>What one end of a test has measured.</summary>
internal sealed record TestEndReport
{
    // A server sends some dozens of intervals. There are two offloads, and three roles of a CPU. NR_CPUS of the largest
    // distribution kernels is 8192.
    private const int MaxIntervals = 1024;
    private const int MaxOffloads = 16;
    private const int MaxRoles = 16;
    private const int MaxCores = 8192;

    /// <summary>Whether it stopped sending early, since it had not heard the other end for almost 2 s.</summary>
    public bool StoppedUnheard { get; set; }

    /// <summary>What it sent; null where it did not send.</summary>
    public TrafficReport? Sent { get; set; }

    public TrafficReport? Received { get; set; }

    /// <summary>Why its system refused a datagram, in the words of .NET; null where it refused none.</summary>
    public string? RefusedBecause { get; set; }

    public TestHostReport? Host { get; set; }

    /// <summary>A stranger's JSON may hold nulls in lists, and lists longer than this program would write.</summary>
    internal bool IsWhole => IsWholeTraffic(Sent) && IsWholeTraffic(Received)
        && (Host is null || HasAll(Host.Interfaces, NetworkCounterReader.MaxInterfaces))
        && (Host?.Counters is not { } counters
            || (HasAll(counters.Interfaces, NetworkCounterReader.MaxInterfaces)
                && HasAll(counters.Queues, NetworkCounterReader.MaxQueues)));

    /// <summary>Reads a report that anyone may have written; null if this program would not write it so.</summary>
    internal static TestEndReport? Read(ReadOnlySpan<byte> json)
    {
        try
        {
            if (!MayBeRead(json)) return null;

            TestEndReport? report = JsonSerializer.Deserialize(json, SessionJson.Default.TestEndReport);
            return report is { IsWhole: true } ? report : null;
        }
        catch (Exception fault) when (fault is JsonException or InvalidOperationException)
        {
            // Not JSON, of another version, a stranger's, or with text that is not Unicode.
            return null;
        }
    }

    // Reading too many objects would take many times their memory. A reader takes 1e400 for an endless number, which no
    // writer of JSON can write.
    private static bool MayBeRead(ReadOnlySpan<byte> json)
    {
        var reader = new Utf8JsonReader(json);
        int objects = 0;
        while (reader.Read())
        {
            if (reader.TokenType is JsonTokenType.StartObject or JsonTokenType.StartArray
                && ++objects > ReportProbe.MaxObjects)
            {
                return false;
            }

            if (reader.TokenType == JsonTokenType.Number
                && !(reader.TryGetDouble(out double number) && double.IsFinite(number)))
            {
                return false;
            }
        }

        return true;
    }

    // A list that is left out is null, since it can only be initialised.
    private static bool HasAll<T>(IReadOnlyList<T?>? list, int maxCount)
        where T : class => list?.Count <= maxCount && !list.Contains(null);

    private static bool IsWholeTraffic(TrafficReport? report) => report is null
        || (HasAll(report.Threads, TrafficOptions.MaxFlowCount)
            && HasAll(report.PerStream, TrafficOptions.MaxFlowCount)
            && HasAll(report.Offloads, MaxOffloads)
            && HasAll(report.Links, NetworkCounterReader.MaxInterfaces)
            && IsWholeCores(report.Cores)
            && HasAll(report.Intervals, MaxIntervals)
            && report.Intervals.All(static one =>
                HasAll(one.Threads, TrafficOptions.MaxFlowCount) && IsWholeCores(one.Cores)));

    private static bool IsWholeCores(IReadOnlyList<CpuReport?> cores) =>
        HasAll(cores, MaxCores) && cores.All(static core => HasAll(core!.Roles, MaxRoles));
}

/// <summary>What the host of one end counted during the data of a test: it tells where datagrams were lost.</summary>
internal sealed record TestHostReport
{
    /// <summary>What the network namespace counted, for all programs; null where it could not be read.</summary>
    public NetworkCounters? Counters { get; set; }

    /// <summary>None where that of one flow could not be told, so that any may be.</summary>
    public string[] Interfaces { get; set; } = [];

    public int? InterfaceMtuBytes { get; set; }

    public long? BacklogLimit { get; set; }

    /// <summary>How long the process was stopped: its control thread neither ran nor was ready to run.</summary>
    public long StoppedNanoseconds { get; set; }

    /// <summary>Whether the flows are of IPv6; null where some are and others are not.</summary>
    public bool? IsIPv6 { get; set; }

    public override string ToString() => RecordText.Of(
        nameof(TestHostReport), PrintMembers, (nameof(Interfaces), Interfaces));
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    RespectNullableAnnotations = true,
    MaxDepth = 8)]
[JsonSerializable(typeof(TestEndReport))]
internal sealed partial class SessionJson : JsonSerializerContext;

/// <summary>
/// Bounds what an end's report holds on its way to the other end: its course over time and its CPUs would grow with the
/// length of the test and with the host.
/// </summary>
internal static class SentReport
{
    /// <summary>The most intervals; neighbours are merged until there are no more.</summary>
    public const int MaxIntervals = 60;

    /// <summary>The most CPUs of an interval: those of the test first, then the busiest.</summary>
    public const int MaxIntervalCores = 8;

    /// <summary>The most threads of an interval; where there are more, the intervals hold none.</summary>
    public const int MaxIntervalThreads = 8;

    public const int MaxCores = 1024;

    /// <summary>Shortens both directions of a report. The intervals of the report are changed.</summary>
    public static TestEndReport Shorten(TestEndReport report) =>
        report with { Sent = Shorten(report.Sent), Received = Shorten(report.Received) };

    /// <summary>Merges neighbours, as many into each, so that at most <see cref="MaxIntervals"/> are left.</summary>
    public static IntervalReport[] Merge(IntervalReport[] intervals)
    {
        int perInterval = (intervals.Length + MaxIntervals - 1) / MaxIntervals;
        return [.. intervals.Chunk(Math.Max(1, perInterval)).Select(static neighbours =>
        {
            Array.ForEach(neighbours[1..], neighbours[0].Extend);
            return neighbours[0];
        })];
    }

    private static TrafficReport? Shorten(TrafficReport? report)
    {
        if (report is null) return null;

        IntervalReport[] intervals = Merge(report.Intervals);
        foreach (IntervalReport interval in intervals)
        {
            interval.Cores = CpuTotals.Choose(interval.Cores, MaxIntervalCores);
            if (interval.Threads.Length > MaxIntervalThreads) interval.Threads = [];
        }

        return report with { Intervals = intervals, Cores = CpuTotals.Choose(report.Cores, MaxCores) };
    }
}

/// <summary>A report cut into parts that a datagram holds, and put together again.</summary>
internal static class ReportParts
{
    /// <summary>Bounds a client's memory; an honest one is much shorter, see <see cref="SentReport"/>.</summary>
    public const int MaxReportBytes = 4 << 20;

    /// <summary>Bytes of report in one part; its number and the length of the whole are in the message.</summary>
    public const int PartBytes = 1024;

    public const int MaxPartsPerFetch = 32;

    public static int CountOf(int reportBytes) => (reportBytes + PartBytes - 1) / PartBytes;

    public static ReadOnlySpan<byte> Cut(ReadOnlySpan<byte> report, int index)
    {
        int start = index * PartBytes;
        return report.Slice(start, Math.Min(PartBytes, report.Length - start));
    }
}

/// <summary>One direction of a test: what one end sent, and what of it the other one received.</summary>
internal sealed record TestDirectionReport
{
    internal const string ClientName = "client";
    internal const string ServerName = "server";

    /// <summary>The end that sent: <c>client</c> or <c>server</c>.</summary>
    public string From { get; set; } = "";

    public long Datagrams { get; set; }

    public long Unique { get; set; }

    /// <summary>Datagrams that the sender's system refused. They have a number, so they are lost.</summary>
    public long Refused { get; set; }

    /// <summary>Datagrams that the sender's pacing gave up. They have no number and are not among the lost.</summary>
    public long Skipped { get; set; }

    /// <summary>Sent or refused less <see cref="Unique"/>, from datagram 0 to the agreed end.</summary>
    public long Lost { get; set; }

    /// <summary><see cref="Lost"/> in percent of <see cref="Datagrams"/> and <see cref="Refused"/>.</summary>
    public double LostPercent { get; set; }

    public double DatagramsPerSecond { get; set; }

    public double BitsPerSecond { get; set; }

    /// <summary>The sum of what arrived, all of <see cref="LostWhere"/>, and <see cref="Unexplained"/>.</summary>
    public long Offered { get; set; }

    /// <summary>Where the missing ones were lost: datagrams by place, see <see cref="LossPlace"/>.</summary>
    [MapNames(typeof(LossPlace))]
    public IReadOnlyDictionary<string, long> LostWhere { get; set; } =
        new Dictionary<string, long>(StringComparer.Ordinal);

    public long Unexplained { get; set; }

    /// <summary>Where most of them were lost, in one sentence that ends with what would help.</summary>
    public string Verdict { get; set; } = "";

    public string? Remedy { get; set; }

    /// <summary>Brings together what both ends say of one direction, in which each has done its part.</summary>
    internal static TestDirectionReport Between(string from, TestEndReport sender, TestEndReport receiver)
    {
        TrafficReport sent = sender.Sent!;
        TrafficReport received = receiver.Received!;
        long unique = Math.Max(0, received.Unique ?? 0);

        // The figures of the other end may be anything: below zero they count as zero, so that no difference wraps.
        long datagrams = Math.Max(0, sent.Datagrams);
        LossEvidence evidence = ReceiverEvidence.Of(sender, receiver, unique, isReceiverRemote: from is ClientName);
        long numbered = Saturating.Add(datagrams, evidence.Refused);
        long lost = Math.Max(0, numbered - unique);
        var account = LossAccount.Judge(evidence);
        return new TestDirectionReport
        {
            From = from,
            Datagrams = datagrams,
            Unique = unique,
            Refused = evidence.Refused,
            Skipped = evidence.Skipped,
            Lost = lost,
            LostPercent = 100 * Statistics.Ratio(lost, numbered),
            DatagramsPerSecond = received.DatagramsPerSecond ?? 0,
            BitsPerSecond = received.BitsPerSecond ?? 0,
            Offered = evidence.Offered,
            LostWhere = account.LostWhere,
            Unexplained = account.Unexplained,
            Verdict = account.Sentence,
            Remedy = account.Remedy,
        };
    }

    public override string ToString() => RecordText.Of(
        nameof(TestDirectionReport), PrintMembers, (nameof(LostWhere), LostWhere));
}
