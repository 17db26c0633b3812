using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Serve;

/// <summary>The report of a server, kind <c>serve</c>: a receiver's figures, and those of its threads.</summary>
internal sealed record ServeReport : EndReport
{
    public const string KindName = "serve";

    public string App { get; set; } = "";

    public string Design { get; set; } = "";

    public bool KeepsPeers { get; set; }

    public int WorkRounds { get; set; }

    public double? WorkNanosecondsPerRound { get; set; }

    /// <summary>
    /// Different numbered datagrams that were handled, plus those without a number, up to the total that their senders
    /// announced.
    /// </summary>
    public long Processed { get; set; }

    /// <summary>
    /// How many datagrams the senders sent, by their numbers and announcements. Lost ones and those before the first
    /// that arrived are included.
    /// </summary>
    public long ProcessedOf { get; set; }

    /// <summary>In percent of <see cref="ProcessedOf"/>; null where nothing was numbered or announced.</summary>
    public double? ProcessedPercent { get; set; }

    /// <summary>
    /// Senders that counted as ended without an announcement, because they were silent for
    /// <see cref="PatienceSeconds"/>. Senders of datagrams without numbers cannot be told apart and count as one. Not
    /// included in <see cref="EndReport.EndedStreams"/>. 0 where the run ended for another reason.
    /// </summary>
    public long SilentSenders { get; set; }

    public double? PatienceSeconds { get; set; }

    /// <summary>CPU nanoseconds of the process per datagram handled. It is written, not read.</summary>
    public double CpuNanosecondsPerDatagram =>
        Statistics.Ratio(1e9 * (CpuUserSeconds + CpuSystemSeconds), Datagrams);

    /// <summary>Answers, or forwarded datagrams, that the system accepted. Each destination counts by itself.</summary>
    public long Sent { get; set; }

    public long SendDropped { get; set; }

    /// <summary>
    /// Datagrams not answered or forwarded for a reason of the application: <see cref="WornOut"/>,
    /// <see cref="AnswersWithheld"/>, and those of a peer that gets no answer at all.
    /// </summary>
    public long Unanswered { get; set; }

    /// <summary>Echo: datagrams not answered because they came with a time to live of 1.</summary>
    public long WornOut { get; set; }

    public long AnswersWithheld { get; set; }

    /// <summary>Null where the limit was off, and for other applications.</summary>
    public int? AnswersPerPeer { get; set; }

    public long HandlerFaults { get; set; }

    /// <summary>Datagrams of batches in which a handler threw.</summary>
    public long DatagramsFaulted { get; set; }

    /// <summary>What the kernel dropped while the server ended.</summary>
    public long? TurnedAwayAtEnd { get; set; }

    /// <summary>Interrupts of the whole machine per second; null where the system does not tell.</summary>
    public double? InterruptsPerSecond { get; set; }

    /// <summary>The highest amount of memory that could not be swapped out (VmLck and VmPin).</summary>
    public long? LockedBytes { get; set; }

    /// <summary>How much memory the process may lock (RLIMIT_MEMLOCK); null for no limit or if unknown.</summary>
    public long? LockedLimitBytes { get; set; }

    /// <summary>The highest charge of the kernel's non-paged pool; null on other systems than Windows.</summary>
    public long? NonPagedPoolBytes { get; set; }

    /// <summary>Datagrams of the host's UDP to all programs (Linux: of the network namespace).</summary>
    public long? HostUdpReceived { get; set; }

    /// <summary>Datagrams of the same that did not get into a socket, for instance because it was full.</summary>
    public long? HostUdpErrors { get; set; }

    /// <summary>Datagrams of the same to a port that no socket was bound to.</summary>
    public long? HostUdpNoPorts { get; set; }

    /// <summary>The server's threads, the one that receives for others first.</summary>
    [JsonPropertyOrder(3)]
    public ServerThreadReport[] Threads { get; set; } = [];

    internal override IReadOnlyList<ThreadReport> WorkingThreads => Threads;

    internal override IReadOnlyList<ComparedFigure>? Figures =>
        [.. base.Figures!, ComparedFigure.Gain("", ComparedFigure.Processed, ProcessedPercent)];

    internal override IEnumerable<ReportSetting> RunSettings =>
    [
        .. base.RunSettings,
        new("app", App),
        new("design", Design),
        ReportSetting.Of("keepsPeers", KeepsPeers),
        ReportSetting.Of("workRounds", WorkRounds),
        ReportSetting.Of("answersPerPeer", AnswersPerPeer),
    ];

    internal override CapacityReading? ReadCapacity(int sizeBytes) =>
        new EndCapacity($"serve, {App}, {Design}", this)
        {
            WorkAssumption = "the handler's work is that of the measured server",
            ReaderNanoseconds = Array.Find(
                Threads, static one => one.Role is ServerThreadReport.ReceiveRole)?.CpuNanoseconds,
        }.Read();

    internal override JsonTypeInfo JsonType => ServeJson.Default.ServeReport;
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(ServeReport))]
internal sealed partial class ServeJson : JsonSerializerContext;
