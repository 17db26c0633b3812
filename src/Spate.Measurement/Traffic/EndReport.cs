using System.Text.Json.Serialization;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Counting;
using Spate.Measurement.HostUse;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Traffic;

/// <summary>What a <see cref="TrafficReport"/> and a server's have in common. Loss is null at a sender.</summary>
internal abstract record EndReport : MeasurementReport
{
    private const double MinRateSeconds = 0.001;

    /// <summary>Payload bytes of one datagram; null if sizes varied or nothing arrived.</summary>
    public int? SizeBytes { get; set; }

    /// <summary>The rate asked for in datagrams per second; null for a receiver and for no limit.</summary>
    public double? RateAskedDatagramsPerSecond { get; set; }

    /// <summary>Taken by the system for sending, or arrived; copies and foreign ones included.</summary>
    public long Datagrams { get; set; }

    public long Bytes { get; set; }

    /// <summary>From the first call that moved datagrams to the last; of the run if none did.</summary>
    public double Seconds { get; set; }

    /// <summary>Null where <see cref="IsTooShortForRate"/>. Written, not read.</summary>
    public double? DatagramsPerSecond => RateOf(Datagrams);

    /// <summary>Of payload. Null where <see cref="DatagramsPerSecond"/> is. Written, not read.</summary>
    public double? BitsPerSecond => RateOf(8.0 * Bytes);

    /// <summary>With Ethernet's headers, preamble and gap, even on a loopback. Null where no rate is.</summary>
    public double? WireBitsPerSecond { get; set; }

    /// <summary>Of the speed of <see cref="MeasurementReport.Links"/> together; null where not known.</summary>
    public double? LinkPercent { get; set; }

    /// <summary>Under 1 ms a few calls moved everything: the rate would be that of the calls.</summary>
    [JsonIgnore]
    public bool IsTooShortForRate => Datagrams > 0 && Seconds < MinRateSeconds;

    public long? Unique { get; set; }

    public long? Lost { get; set; }

    /// <summary><see cref="Lost"/> in percent of what was sent from the first datagram on; null at a sender.</summary>
    public double? LostPercent { get; set; }

    public long? Duplicated { get; set; }

    public long? Reordered { get; set; }

    public long? Late { get; set; }

    /// <summary>See <see cref="SequenceCounts.AfterDeadline"/>; null where no deadline was given.</summary>
    public long? AfterDeadline { get; set; }

    /// <summary>Among <see cref="Datagrams"/>; null where checksums were not verified.</summary>
    public long? Corrupted { get; set; }

    public long? MissedBeforeFirst { get; set; }

    /// <summary>A sender of datagrams too small for numbers counts if it announced its total.</summary>
    public long Streams { get; set; }

    /// <summary>Streams that announced their end. Others may have sent, and lost, more than is known.</summary>
    public long EndedStreams { get; set; }

    public long UntrackedStreams { get; set; }

    /// <summary>Datagrams of those streams; their loss is unknown.</summary>
    public long UntrackedDatagrams { get; set; }

    /// <summary>Datagrams without a test header; their loss is unknown.</summary>
    public long OtherDatagrams { get; set; }

    /// <summary>See <see cref="StreamTotals.UnknownDatagrams"/>: not among <see cref="Datagrams"/>.</summary>
    public long UnknownDatagrams { get; set; }

    /// <summary>As announced; null for none. Those that arrived are among <see cref="OtherDatagrams"/>.</summary>
    public long? UnnumberedSent { get; set; }

    /// <summary>How many datagrams were announced if none of them arrived; otherwise 0.</summary>
    [JsonIgnore]
    public long OnlyAnnounced => Datagrams == 0 ? Saturating.Add(Lost ?? 0, UnnumberedSent ?? 0) : 0;

    public long Refused { get; set; }

    /// <summary>What full sockets dropped, in <see cref="KernelDropUnit"/>s; null if unknown.</summary>
    public long? KernelDrops { get; set; }

    /// <summary>What the kernel counts as one drop: <c>datagrams</c>, or <c>coalesced buffers</c> with GRO.</summary>
    public string? KernelDropUnit { get; set; }

    public long Calls { get; set; }

    /// <summary>Whether threads spin on purpose: CPU time is then no measure of what a datagram costs.</summary>
    public bool Spins { get; set; }

    public double CpuUserSeconds { get; set; }

    public double CpuSystemSeconds { get; set; }

    public long AllocatedBytes { get; set; }

    public int Gen0Collections { get; set; }

    /// <summary>How much the delay varied; null at a sender, and where no datagram carried its time.</summary>
    public DelayVariation? DelayVariation { get; set; }

    public LengthReport? LossBursts { get; set; }

    public LengthReport? LossGaps { get; set; }

    /// <summary>Counts less than <see cref="Reordered"/>: some extents are not known. Null where that is.</summary>
    public LengthReport? ReorderExtent { get; set; }

    [JsonPropertyOrder(1)]
    public IntervalReport[] Intervals { get; set; } = [];

    [JsonPropertyOrder(2)]
    public StreamReport[] PerStream { get; set; } = [];

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
