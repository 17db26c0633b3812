using System.Globalization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Shell.Terminal;
using Spate.Gateway;
using Spate.Measurement.Reports;
using static Spate.Cli.Shell.Terminal.Units;

namespace Spate.Cli.Gateway;

/// <summary>The report of <c>spate gateway read</c>: what is in a stream, and what is not.</summary>
internal sealed record GatewayReadReport : Report
{
    public const string KindName = "gateway-read";

    /// <summary>The broker, without a user and a password.</summary>
    public string From { get; set; } = "";

    public string Stream { get; set; } = "";

    /// <summary>Whether nothing is missing without a stated reason, and everything could be read.</summary>
    public bool IsComplete { get; set; }

    public bool IsInterrupted { get; set; }

    /// <summary>Runs that have no end: what they accepted after their last accounting message is not known.</summary>
    public int RunsWithoutEnd { get; set; }

    public long Messages { get; set; }

    public long MessagesForeign { get; set; }

    public long MessagesUnreadable { get; set; }

    public string? FirstUnreadable { get; set; }

    /// <summary>Messages of more gateways, runs, threads and partitions than are told apart.</summary>
    public long MessagesUntracked { get; set; }

    public long Datagrams { get; set; }

    public long Duplicates { get; set; }

    public long Missing { get; set; }

    public long CommittedMissing { get; set; }

    public long Unexplained { get; set; }

    public long Unsettled { get; set; }

    public long Undecided { get; set; }

    public GatewayKeyReport[] Keys { get; set; } = [];

    public static GatewayReadReport Of(GatewayFindings findings, GatewayTarget from, string stream)
    {
        return new GatewayReadReport
        {
            Kind = KindName,
            From = from.ToString(),
            Stream = stream,
            IsComplete = findings.IsComplete,
            IsInterrupted = findings.IsInterrupted,
            RunsWithoutEnd = findings.RunsWithoutEnd,
            Messages = findings.Messages,
            MessagesForeign = findings.MessagesForeign,
            MessagesUnreadable = findings.MessagesUnreadable,
            FirstUnreadable = findings.FirstUnreadable,
            MessagesUntracked = findings.MessagesUntracked,
            Datagrams = findings.Datagrams,
            Duplicates = findings.Duplicates,
            Missing = findings.Missing,
            CommittedMissing = findings.CommittedMissing,
            Unexplained = findings.Unexplained,
            Unsettled = findings.Unsettled,
            Undecided = findings.Undecided,
            Keys = [.. findings.Keys.Select(GatewayKeyReport.Of)],
        };
    }

    internal override JsonTypeInfo JsonType => GatewayJson.Default.GatewayReadReport;
}

/// <summary>The text of <c>spate gateway read</c>: what was read of each gateway, and the verdict.</summary>
internal static class GatewayReadText
{
    private const int MaxShownGaps = 10;

    // The longest id (docs/gateway/format.md), each of whose 64 bytes may be shown as an escape of six characters, so
    // that two ids never look the same.
    private const int MaxIdLength = 64 * 6;

    private static readonly Table<GatewayKeyFindings> Keys = new(
        new("gateway", Align.Left, 0, static one => PrintableText.ForTerminal(one.Key.GatewayId, MaxIdLength)),
        new("started (UTC)", Align.Left, 3, static one => TimeText(one.Key)),
        new("thread", Align.Right, 1, static one => $"{one.Key.ShardIndex}"),
        new("part", Align.Right, 2, static one => $"{one.Key.PartitionIndex}"),
        new("datagrams", Align.Right, 0, static one => Count(one.Datagrams)),
        new("copies", Align.Right, 4, static one => Count(one.Duplicates)),
        new("dropped", Align.Right, 1, static one => Count(DroppedOf(one))),
        new("missing", Align.Right, 0, static one => Count(one.Missing)),
        new("run", Align.Left, 2, static one => NameText.Of(one.State)));

    public static void Write(GatewayFindings findings, TerminalWriter writer)
    {
        writer.Table(Keys, findings.Keys);
        writer.Line();
        foreach (GatewayKeyFindings key in findings.Keys) WriteKey(key, writer);

        writer.Line($"read {Count(findings.Datagrams)} datagrams in {Count(findings.Messages)} messages, "
            + $"copies {Count(findings.Duplicates)}; "
            + $"messages of other programs {Count(findings.MessagesForeign)}");
        if (findings.MessagesUnreadable > 0)
        {
            writer.Line($"{Count(findings.MessagesUnreadable)} message(s) could not be read: "
                + PrintableText.ForTerminal(findings.FirstUnreadable ?? "no reason given"));
        }

        if (findings.MessagesUntracked > 0)
        {
            writer.Line($"{Count(findings.MessagesUntracked)} message(s) of runs above the tracking limit: not "
                + "verified");
        }

        if (findings.Undecided > 0) writer.Line($"undecided {Count(findings.Undecided)}: more gaps than can be kept");

        if (findings.IsInterrupted) writer.Line("stopped before the end of the stream: the rest is not verified");
        writer.Line(Verdict(findings));
    }

    private static string Verdict(GatewayFindings findings)
    {
        string open = $"unexplained {Count(findings.Unexplained)}, unsettled {Count(findings.Unsettled)}";
        if (!findings.IsComplete)
        {
            return $"NOT complete: missing without a stated reason {Count(findings.Missing)}, confirmed but not in the "
                + $"stream at least {Count(findings.CommittedMissing)}, {open}";
        }

        int runsWithoutEnd = findings.RunsWithoutEnd;
        if (runsWithoutEnd == 0) return "complete: no accepted datagram is missing without a stated reason";
        string rest = findings is { Unexplained: 0, Unsettled: 0 } ? "" : $"; of their datagrams {open}";
        return $"no confirmed datagram is missing; {runsWithoutEnd} run(s) have no end{rest}, and those accepted after "
            + "their last accounting messages are unknown";
    }

    private static void WriteKey(GatewayKeyFindings key, TerminalWriter writer)
    {
        string name = $"{PrintableText.ForTerminal(key.Key.GatewayId, MaxIdLength)} of {TimeText(key.Key)} "
            + $"{key.Key.ShardIndex}/{key.Key.PartitionIndex}";
        if (key.IsHeadCut)
        {
            writer.Line($"{name}: head cut, begins with {Count(key.FirstSequence)}: earlier datagrams are no longer in "
                + "the stream, or before --offset; no loss");
        }

        foreach (GatewayFinding gap in key.Gaps.Take(MaxShownGaps))
        {
            string reason = gap.Reason == GatewayDropReason.None ? "" : $" ({NameText.Of(gap.Reason)})";
            writer.Line($"{name}: {NameText.Of(gap.Kind)}{reason} {Count(gap.First)} to "
                + $"{Count(gap.First + gap.Count - 1)}: {Count(gap.Count)}");
        }

        long more = Math.Max(0, key.Gaps.Count - MaxShownGaps) + key.GapsOmitted;
        if (more > 0) writer.Line($"{name}: and {Count(more)} more gaps; --json lists the kept ones");

        if (key.NotAllowed > 0 || key.KernelDrops > 0)
        {
            writer.Line($"{name}: not in its account: refused by prefix or rate {Count(key.NotAllowed)}, dropped by "
                + $"the kernel {Count(key.KernelDrops ?? 0)}");
        }

        if (key.State != GatewayEpochState.Ended)
        {
            writer.Line($"{name}: no end after {Count(key.NextSequence)} datagrams: still running, or killed; "
                + $"its last accounting message reports {Count(key.LastAccepted)} accepted, "
                + "and later datagrams are unknown");
        }
    }

    private static long DroppedOf(GatewayKeyFindings key) =>
        key.DroppedWindowFull + key.DroppedRefused + key.DroppedOversized + key.DroppedShutdown;

    // Two runs may begin within a second, so with milliseconds.
    private static string TimeText(GatewayKey key) => DateTimeOffset
        .FromUnixTimeMilliseconds(key.EpochUnixNanoseconds / 1_000_000)
        .ToString("yyyy-MM-dd HH:mm:ss.fff", CultureInfo.InvariantCulture);
}
