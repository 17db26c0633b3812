using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Host;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Traffic;
using Spate.Gateway;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Gateway;

/// <summary>
/// The report of a gateway, kind <c>gateway</c>: a receiver's figures, and the account of what became of every datagram
/// that was read: <see cref="Accepted"/> = <see cref="Committed"/> + <see cref="Dropped"/> + <see cref="InDoubt"/> +
/// <see cref="InFlight"/>.
/// </summary>
internal sealed record GatewayReport : EndReport
{
    public const string KindName = "gateway";

    public string Id { get; set; } = "";

    /// <summary>Where it committed to, without a user and a password.</summary>
    public string Target { get; set; } = "";

    /// <summary><c>stream</c> or <c>queue</c>; null where nothing was committed to.</summary>
    public string? Queue { get; set; }

    public string[] QueueNames { get; set; } = [];

    /// <summary>What it was doing before it was stopped, for example <c>committing</c>.</summary>
    public string State { get; set; } = "";

    /// <summary>Datagrams read from the sockets.</summary>
    public long Accepted { get; set; }

    /// <summary>Of these, those whose message the broker confirmed.</summary>
    public long Committed { get; set; }

    /// <summary>Of these, all that were dropped: the sum of the next five.</summary>
    public long Dropped { get; set; }

    public long DroppedWindowFull { get; set; }

    public long DroppedRefused { get; set; }

    public long DroppedOversized { get; set; }

    public long DroppedShutdown { get; set; }

    public long NotAllowed { get; set; }

    /// <summary>Published on a connection that was lost, and not confirmed since: stored or not.</summary>
    public long InDoubt { get; set; }

    /// <summary>In messages that are filled, wait or are not yet confirmed; 0 once the gateway has stopped.</summary>
    public long InFlight { get; set; }

    /// <summary>What is missing in the account: always 0.</summary>
    public long Difference { get; set; }

    /// <summary>Queued at the sockets when the gateway stopped, not read in time. Not in the account.</summary>
    public long Unread { get; set; }

    /// <summary>Messages confirmed, accounting messages included.</summary>
    public long MessagesConfirmed { get; set; }

    public long MessagesPublishedAgain { get; set; }

    public int ConnectionsLost { get; set; }

    [JsonPropertyOrder(3)]
    [JsonPropertyName("lanes")]
    public GatewayPipelineReport[] Pipelines { get; set; } = [];

    internal override JsonTypeInfo JsonType => GatewayJson.Default.GatewayReport;
}

/// <summary>A thread of a gateway with its connection. Fields as in <see cref="GatewayReport"/>.</summary>
internal sealed record GatewayPipelineReport
{
    public int Shard { get; set; }

    public string State { get; set; } = "";

    public long Accepted { get; set; }

    public long Committed { get; set; }

    public long Dropped { get; set; }

    public long InDoubt { get; set; }

    public long InFlight { get; set; }

    public long MessagesConfirmed { get; set; }

    public int ConnectionsLost { get; set; }
}

/// <summary>What was read of one thread and partition of one run of a gateway.</summary>
internal sealed record GatewayKeyReport
{
    public string Gateway { get; set; } = "";

    /// <summary>When the run began, in nanoseconds since 1970 UTC.</summary>
    public long Epoch { get; set; }

    public int Shard { get; set; }

    public int Partition { get; set; }

    /// <summary><c>open</c>, <c>ended</c>, or <c>superseded</c> by a later run.</summary>
    public string State { get; set; } = "";

    /// <summary>Whether the beginning is no longer in the stream.</summary>
    public bool IsHeadCut { get; set; }

    public long FirstSequence { get; set; }

    /// <summary>One more than the highest number read.</summary>
    public long NextSequence { get; set; }

    public long Datagrams { get; set; }

    public long Duplicates { get; set; }

    /// <summary>First copies that came after a higher number.</summary>
    public long Reordered { get; set; }

    public long LastAccepted { get; set; }

    public long LastCommitted { get; set; }

    public long DroppedWindowFull { get; set; }

    public long DroppedRefused { get; set; }

    public long DroppedOversized { get; set; }

    public long DroppedShutdown { get; set; }

    /// <summary>Missing without a stated reason.</summary>
    public long Missing { get; set; }

    /// <summary>Missing although the broker had confirmed them, at least.</summary>
    public long CommittedMissing { get; set; }

    /// <summary>Whose reason was not read.</summary>
    public long Unexplained { get; set; }

    /// <summary>Accepted by the last accounting message, and not read.</summary>
    public long Unsettled { get; set; }

    /// <summary>Not read, since retention or the offset to begin with cut them or their reason off: no loss.</summary>
    public long CutOff { get; set; }

    /// <summary>In gaps that were too many to be kept.</summary>
    public long Undecided { get; set; }

    public GatewayGapReport[] Gaps { get; set; } = [];

    public long GapsOmitted { get; set; }

    internal static GatewayKeyReport Of(GatewayKeyFindings key) => new()
    {
        Gateway = key.Key.GatewayId,
        Epoch = key.Key.EpochUnixNanoseconds,
        Shard = key.Key.ShardIndex,
        Partition = key.Key.PartitionIndex,
        State = NameText.Of(key.State),
        IsHeadCut = key.IsHeadCut,
        FirstSequence = key.FirstSequence,
        NextSequence = key.NextSequence,
        Datagrams = key.Datagrams,
        Duplicates = key.Duplicates,
        Reordered = key.Reordered,
        LastAccepted = key.LastAccepted,
        LastCommitted = key.LastCommitted,
        DroppedWindowFull = key.DroppedWindowFull,
        DroppedRefused = key.DroppedRefused,
        DroppedOversized = key.DroppedOversized,
        DroppedShutdown = key.DroppedShutdown,
        Missing = key.Missing,
        CommittedMissing = key.CommittedMissing,
        Unexplained = key.Unexplained,
        Unsettled = key.Unsettled,
        CutOff = key.CutOff,
        Undecided = key.Undecided,
        GapsOmitted = key.GapsOmitted,
        Gaps = [.. key.Gaps.Select(static gap => new GatewayGapReport
        {
            Kind = NameText.Of(gap.Kind),
            First = gap.First,
            Count = gap.Count,
            Reason = gap.Reason == GatewayDropReason.None ? null : NameText.Of(gap.Reason),
        })],
    };
}

/// <summary>Consecutive numbers whose datagrams are not in the stream.</summary>
internal sealed record GatewayGapReport
{
    /// <summary><c>dropped</c>, <c>missing</c>, <c>unexplained</c>, <c>unsettled</c> or <c>cut-off</c>.</summary>
    public string Kind { get; set; } = "";

    public long First { get; set; }

    public long Count { get; set; }

    /// <summary>Why they were dropped, for example <c>window-full</c>; null where no reason is stated.</summary>
    public string? Reason { get; set; }
}

/// <summary>The text of <c>spate gateway</c>: a line per interval, and the account at the end.</summary>
internal sealed class GatewayText(TerminalWriter writer, bool isVerbose = false)
{
    private static readonly Table<GatewayInterval> Lines = new(
        new("seconds", Align.Right, 0, static one => TrafficText.TimeOf(one.Total), MinWidth: 13),
        new("accepted/s", Align.Right, 0, static one => Units.PerSecond(one.Total.DatagramsPerSecond), MinWidth: 11),
        new("committed/s", Align.Right, 0, static one =>
            Units.PerSecond(one.Total.RateOf(one.Committed)), MinWidth: 11),
        new("dropped", Align.Right, 1, static one => Units.Count(one.Dropped), MinWidth: 9),
        new("in flight", Align.Right, 3, static one => Units.Count(one.Now.InFlight), MinWidth: 9),
        new("in doubt", Align.Right, 4, static one => Units.Count(one.Now.InDoubt), MinWidth: 8),
        new("kernel", Align.Right, 5, static one => Units.Count(one.KernelDrops), MinWidth: 8),
        new("diff", Align.Right, 7, static one => Units.Count(one.Now.Difference), MinWidth: 4),
        new("CPU", Align.Right, 6, static one => $"{one.Total.CpuPercent:0} %", MinWidth: 6),
        new("state", Align.Left, 2, static one => NameText.Of(one.Now.State), MinWidth: 12));

    private readonly RowByRow<GatewayInterval> _rows = new(Lines, writer);

    public void WriteInterval(GatewayInterval interval) => _rows.Add(interval);

    public void WriteSummary(GatewayReport report)
    {
        writer.Line();
        writer.Line($"accepted {Units.Count(report.Accepted)} datagrams, {Units.Count(report.Bytes)} bytes, "
            + $"in {report.Seconds:0.00} s: {Units.PerSecond(report.DatagramsPerSecond)}/s, "
            + Units.BitsPerSecond(report.BitsPerSecond));
        writer.Line($"accepted {Units.Count(report.Accepted)} = committed {Units.Count(report.Committed)} "
            + $"+ dropped {Units.Count(report.Dropped)} + in doubt {Units.Count(report.InDoubt)} "
            + $"+ in flight {Units.Count(report.InFlight)}; difference {Units.Count(report.Difference)}");
        if (report.Dropped > 0) writer.Line($"dropped: {string.Join(", ", Reasons(report))}");

        if (report.InDoubt > 0)
        {
            writer.Line("in doubt: published on a lost connection, and not confirmed since; spate gateway "
                + "read --verify shows which are stored");
        }

        string advice = report.KernelDrops > 0 ? "; a larger --receive-buffer or more --threads help" : "";
        writer.Line($"dropped by the kernel, receive buffer full: {Units.Count(report.KernelDrops)} "
            + $"{report.KernelDropUnit}{advice}");
        if (report.Unread > 0) writer.Line($"left unread in the sockets at the end: {Units.Count(report.Unread)}");

        writer.Line(MessagesOf(report));
        writer.Line($"CPU {report.CpuUserSeconds:0.00} s user, {report.CpuSystemSeconds:0.00} s system; "
            + TrafficText.TransportOf(report));
        HostText.Write(report, showsAllCores: false, isVerbose, writer);
    }

    // Without a broker there is nobody who confirms.
    private static string MessagesOf(GatewayReport report) => report.Queue is null
        ? $"messages filled and discarded {Units.Count(report.MessagesConfirmed)}, accounting messages included "
            + "(null: has no broker)"
        : $"messages confirmed {Units.Count(report.MessagesConfirmed)}, published again "
            + $"{Units.Count(report.MessagesPublishedAgain)}; connections lost {report.ConnectionsLost}; "
            + $"at the end {report.State}";

    private static IEnumerable<string> Reasons(GatewayReport report)
    {
        (long Count, string Reason)[] reasons =
        [
            (report.DroppedWindowFull, "because the memory was full (--memory)"),
            (report.DroppedRefused, "because the broker refused them"),
            (report.DroppedOversized, "because they are larger than a message (--pack-bytes)"),
            (report.DroppedShutdown, "because the time to drain was over (--drain)"),
            (report.NotAllowed, "because of their source (--allow, --limit-per-prefix)"),
        ];
        return reasons.Where(static one => one.Count > 0).Select(one => $"{Units.Count(one.Count)} {one.Reason}");
    }
}
