using System.Text.Json.Serialization;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Counting;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Traffic;

/// <summary>
/// What the reports of every end of traffic have in common: a sender's or receiver's (<see cref="TrafficReport"/>), and
/// a server's.
/// </summary>
internal abstract record EndReport : MeasurementReport
{
    private const double MinRateSeconds = 0.001;

    /// <summary>Payload bytes of one datagram; null if sizes varied or nothing arrived.</summary>
    public int? SizeBytes { get; set; }

    /// <summary>The rate asked for in datagrams per second; null for a receiver and for no limit.</summary>
    public double? RateAskedDatagramsPerSecond { get; set; }

    /// <summary>
    /// Datagrams that the system took for sending, or that arrived, copies and foreign ones included.
    /// </summary>
    public long Datagrams { get; set; }

    /// <summary>Payload bytes of these datagrams.</summary>
    public long Bytes { get; set; }

    /// <summary>
    /// Seconds from the first call that moved datagrams to the last one; 0 if one call moved all of them. If there were
    /// no datagrams, the duration of the run.
    /// </summary>
    public double Seconds { get; set; }

    /// <summary>
    /// <see cref="Datagrams"/> / <see cref="Seconds"/>; null where <see cref="IsTooShortForRate"/>. It is written, not
    /// read.
    /// </summary>
    public double? DatagramsPerSecond => RateOf(Datagrams);

    /// <summary>
    /// Payload bits per second: 8 x <see cref="Bytes"/> / <see cref="Seconds"/>; null where
    /// <see cref="DatagramsPerSecond"/> is. It is written, not read.
    /// </summary>
    public double? BitsPerSecond => RateOf(8.0 * Bytes);

    /// <summary>
    /// What the datagrams take of an Ethernet link a second: payload, headers, preamble and gap, in bits. On a
    /// loopback: what they would take. Null where <see cref="DatagramsPerSecond"/> is.
    /// </summary>
    public double? WireBitsPerSecond { get; set; }

    /// <summary>
    /// <see cref="WireBitsPerSecond"/> in percent of the speed of <see cref="MeasurementReport.Links"/> together; null
    /// where one of these is not known.
    /// </summary>
    public double? LinkPercent { get; set; }

    /// <summary>
    /// Whether the time was under 1 ms. A few calls then moved everything, and the rate shows the speed of the calls
    /// instead of the traffic's.
    /// </summary>
    [JsonIgnore]
    public bool IsTooShortForRate => Datagrams > 0 && Seconds < MinRateSeconds;

    /// <summary>
    /// Different numbered datagrams that arrived (<see cref="SequenceCounts.Unique"/>); null at a sender.
    /// </summary>
    public long? Unique { get; set; }

    /// <summary>Numbered datagrams that did not arrive (<see cref="SequenceCounts.Lost"/>); null at a sender.</summary>
    public long? Lost { get; set; }

    /// <summary><see cref="Lost"/> in percent of what was sent from the first datagram on; null at a sender.</summary>
    public double? LostPercent { get; set; }

    /// <summary>Second and further copies (<see cref="SequenceCounts.Duplicated"/>); null at a sender.</summary>
    public long? Duplicated { get; set; }

    /// <summary>Datagrams out of order (<see cref="SequenceCounts.Reordered"/>); null at a sender.</summary>
    public long? Reordered { get; set; }

    /// <summary>Datagrams too late to be told apart (<see cref="SequenceCounts.Late"/>); null at a sender.</summary>
    public long? Late { get; set; }

    /// <summary>
    /// Datagrams that arrived after the deadline (<see cref="SequenceCounts.AfterDeadline"/>); null where none was
    /// given.
    /// </summary>
    public long? AfterDeadline { get; set; }

    /// <summary>
    /// Datagrams whose checksum was wrong or missing (<see cref="StreamTotals.Corrupted"/>), which are among
    /// <see cref="Datagrams"/>; null where checksums were not verified.
    /// </summary>
    public long? Corrupted { get; set; }

    /// <summary>
    /// Sequences before the first datagram (<see cref="SequenceCounts.MissedBeforeFirst"/>); null at a sender.
    /// </summary>
    public long? MissedBeforeFirst { get; set; }

    /// <summary>
    /// Streams that were sent or followed. A sender of datagrams too small for numbers counts if it announced its
    /// total.
    /// </summary>
    public long Streams { get; set; }

    /// <summary>
    /// Of the streams, those whose senders announced the end and the total. A sender that did not, or was not heard,
    /// may have sent more than its highest number tells, so that more is lost. At a sender: those it announced.
    /// </summary>
    public long EndedStreams { get; set; }

    /// <summary>Streams for which there was no room (<see cref="StreamTotals.UntrackedStreams"/>).</summary>
    public long UntrackedStreams { get; set; }

    /// <summary>Datagrams of those streams; their loss is unknown.</summary>
    public long UntrackedDatagrams { get; set; }

    /// <summary>Datagrams without a test header; their loss is unknown.</summary>
    public long OtherDatagrams { get; set; }

    /// <summary>
    /// Datagrams of the protocol that are neither data nor announcements of a version known here: late copies of a
    /// test's control, those of a newer version, damaged ones (<see cref="StreamTotals.UnknownDatagrams"/>). They count
    /// as nothing else, not as <see cref="Datagrams"/> either.
    /// </summary>
    public long UnknownDatagrams { get; set; }

    /// <summary>
    /// How many datagrams too small for a header were sent, as their senders announced; null at a sender, and where
    /// none announced any. Those that arrived are among <see cref="OtherDatagrams"/>.
    /// </summary>
    public long? UnnumberedSent { get; set; }

    /// <summary>How many datagrams were announced if none of them arrived; otherwise 0.</summary>
    [JsonIgnore]
    public long OnlyAnnounced => Datagrams == 0 ? Saturating.Add(Lost ?? 0, UnnumberedSent ?? 0) : 0;

    /// <summary>Datagrams that the local system refused to send.</summary>
    public long Refused { get; set; }

    /// <summary>
    /// What the kernel dropped because a socket was full, in <see cref="KernelDropUnit"/>s; null if unknown.
    /// </summary>
    public long? KernelDrops { get; set; }

    /// <summary>What the kernel counts as one drop: <c>datagrams</c>, or <c>coalesced buffers</c> with GRO.</summary>
    public string? KernelDropUnit { get; set; }

    /// <summary>System calls that sent or received.</summary>
    public long Calls { get; set; }

    /// <summary>
    /// Whether threads of the end looked for work without a pause (<c>--pace spin</c>, <c>--wait spinning</c>): their
    /// CPU time is then no measure of what a datagram costs.
    /// </summary>
    public bool Spins { get; set; }

    /// <summary>CPU seconds of the process in user mode.</summary>
    public double CpuUserSeconds { get; set; }

    /// <summary>CPU seconds of the process in the kernel.</summary>
    public double CpuSystemSeconds { get; set; }

    /// <summary>Bytes allocated on the managed heap during the run.</summary>
    public long AllocatedBytes { get; set; }

    /// <summary>Garbage collections during the run.</summary>
    public int Gen0Collections { get; set; }

    /// <summary>How much the delay varied; null at a sender, and where no datagram carried its time.</summary>
    public DelayVariation? DelayVariation { get; set; }

    /// <summary>Loss bursts (<see cref="SequenceLengths.LossBursts"/>); null at a sender.</summary>
    public LengthReport? LossBursts { get; set; }

    /// <summary>
    /// The arrivals between two loss bursts (<see cref="SequenceLengths.LossGaps"/>); null at a sender.
    /// </summary>
    public LengthReport? LossGaps { get; set; }

    /// <summary>
    /// The extent of reordering (<see cref="SequenceLengths.ReorderExtents"/>); null at a sender, and where
    /// <see cref="Reordered"/> is. Its count is lower than that by the datagrams whose extent is not known.
    /// </summary>
    public LengthReport? ReorderExtent { get; set; }

    /// <summary>The course of the run, one entry per report interval.</summary>
    [JsonPropertyOrder(1)]
    public IntervalReport[] Intervals { get; set; } = [];

    /// <summary>The flows, where there are several.</summary>
    [JsonPropertyOrder(2)]
    public StreamReport[] PerStream { get; set; } = [];

    /// <summary>Copies what a receiver's stream table has counted.</summary>
    public void SetTotals(StreamTotals totals)
    {
        Unique = totals.Counts.Unique;
        Lost = totals.Counts.Lost;
        LostPercent = totals.Counts.LostPercent;
        Duplicated = totals.Counts.Duplicated;
        Reordered = totals.Counts.Reordered;
        Late = totals.Counts.Late;
        MissedBeforeFirst = totals.Counts.MissedBeforeFirst;
        Streams = totals.Streams + totals.UnnumberedSenders;
        EndedStreams = totals.EndedStreams + totals.UnnumberedSenders;
        UntrackedStreams = totals.UntrackedStreams;
        UntrackedDatagrams = totals.UntrackedDatagrams;
        OtherDatagrams = totals.OtherDatagrams;
        UnknownDatagrams = totals.UnknownDatagrams;
        UnnumberedSent = totals.UnnumberedSenders > 0 ? totals.UnnumberedSent : null;
    }

    /// <summary>Copies all that the ledgers of a receiver have counted.</summary>
    internal void SetAccounting(IReadOnlyList<StreamLedger> ledgers, AccountingOptions options)
    {
        StreamTotals totals = default;
        var lengths = new SequenceLengths();
        foreach (StreamLedger ledger in ledgers)
        {
            totals += ledger.Totals;
            lengths.Add(ledger.Read(static table => table.ReadLengths()));
        }

        SetTotals(totals);
        AfterDeadline = options.Deadline is null ? null : totals.Counts.AfterDeadline;
        Corrupted = options.Verify ? totals.Corrupted : null;
        DelayVariation = DelayVariation.Of(
            [.. ledgers.Select(static ledger => ledger.Read(static table => table.Delays))]);
        (LossBursts, LossGaps) = (LengthReport.From(lengths.LossBursts), LengthReport.From(lengths.LossGaps));
        ReorderExtent = LengthReport.From(lengths.ReorderExtents);
        PerStream = [.. ledgers.SelectMany(static ledger => ledger.Read(StreamReport.AllOf))];
    }

    /// <summary>Computes what the datagrams took of the links; all of these figures are known by then.</summary>
    internal void SetWire(bool isIPv6)
    {
        double wireBytes = EthernetWire.BytesOf(
            Statistics.Ratio(Bytes, Datagrams), isIPv6, Links.Select(static one => one.MtuBytes).Min());
        WireBitsPerSecond = RateOf(8 * Datagrams * wireBytes);
        long? speed = Links.Length == 0
            ? null
            : Links.Aggregate((long?)0, static (sum, link) => sum + link.SpeedBitsPerSecond);
        LinkPercent = speed is { } bits ? 100 * WireBitsPerSecond / bits : null;
    }

    private double? RateOf(double amount) => IsTooShortForRate ? null : Statistics.Ratio(amount, Seconds);

    internal override IReadOnlyList<ComparedFigure>? Figures
    {
        get
        {
            List<ComparedFigure> figures = [ComparedFigure.Gain("", ComparedFigure.Rate, DatagramsPerSecond)];
            if (LostPercent is not null) figures.Add(ComparedFigure.Cost("", ComparedFigure.Lost, LostPercent));
            if (Datagrams == 0) return figures;

            figures.Add(CpuFigure(""));
            figures.Add(ComparedFigure.Cost("", ComparedFigure.Allocated, (double)AllocatedBytes / Datagrams));
            return figures;
        }
    }

    internal override IEnumerable<ReportSetting> MachineSettings =>
    [
        .. base.MachineSettings,
        ReportSetting.Of("rateAsked", RateAskedDatagramsPerSecond),
        ReportSetting.Of("verifies", Corrupted is not null),
    ];

    internal override IEnumerable<ReportSetting> RunSettings =>
        [.. base.RunSettings, ReportSetting.Of("sizeBytes", SizeBytes) with { MustBeAlike = true }];

    /// <summary>The CPU time of the end's own threads as a figure of a row.</summary>
    internal ComparedFigure CpuFigure(string row)
    {
        var cost = EndCpu.Of(this);
        return ComparedFigure.Cost(row, "threadNanosecondsPerDatagram", cost.NanosecondsPerDatagram) with
        {
            NoMeasure = cost.NoMeasure,
        };
    }
}

/// <summary>The name of the kernel's drop unit in reports.</summary>
internal static class DropUnitText
{
    private const string CoalescedBuffers = "coalesced buffers";

    public static string Of(UdpDropUnit unit) =>
        unit == UdpDropUnit.CoalescedBuffers ? CoalescedBuffers : "datagrams";

    /// <summary>Reads the name again; text that is none stands for datagrams.</summary>
    public static UdpDropUnit Read(string? text) => string.Equals(text, CoalescedBuffers, StringComparison.Ordinal)
        ? UdpDropUnit.CoalescedBuffers
        : UdpDropUnit.Datagrams;
}

/// <summary>An end's cost by the CPU time of its own threads: its process may have both ends or directions.</summary>
internal readonly record struct EndCpu(double? NanosecondsPerDatagram, string? NoMeasure)
{
    public const string Spinning =
        "the threads of the run spin: their CPU time covers the whole run, not the cost of datagrams";

    public const string Unknown = "the report lacks the CPU time of the end's own threads";

    /// <summary>Reads the cost of an end from its report, which may be of any origin.</summary>
    public static EndCpu Of(EndReport end)
    {
        if (end.Spins) return new EndCpu(NanosecondsPerDatagram: null, Spinning);

        double total = 0;
        IReadOnlyList<ThreadReport> threads = end.WorkingThreads;
        foreach (ThreadReport thread in threads)
        {
            total += thread.CpuNanoseconds is { } time and >= 0 ? time : double.NaN;
        }

        return threads.Count > 0 && end.Datagrams > 0 && total > 0
            ? new EndCpu(total / end.Datagrams, NoMeasure: null)
            : new EndCpu(NanosecondsPerDatagram: null, Unknown);
    }
}
