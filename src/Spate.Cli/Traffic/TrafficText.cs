using System.Globalization;
using Spate.Cli.Host;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Counting;
using Spate.Measurement.Pacing;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Traffic;

/// <summary>The text of <c>spate send</c> and <c>spate receive</c>: a line per interval, then the summary.</summary>
internal sealed class TrafficText(
    TerminalWriter writer, bool isReceiver, bool showsAllCores = false, bool isVerbose = false)
{
    // Rates are kept to a thousandth. A stall at the end of a run can cost more although the sender is fast enough.
    private const double ReachedShare = 0.98;

    // In a shorter run, a single late wake-up would look like a limit of the sender.
    private const double MinJudgedSeconds = 0.5;

    private static readonly Column<Line>[] Columns =
    [
        new("seconds", Align.Right, 0, static line => line.Name, MinWidth: 15),
        new("datagrams/s", Align.Right, 0, static line => Units.PerSecond(line.DatagramsPerSecond), MinWidth: 12),
        new("payload", Align.Right, 2, static line => Units.BitsPerSecond(line.BitsPerSecond), MinWidth: 14),
        new("CPU", Align.Right, 3, static line => line.Total is { } all ? $"{all.CpuPercent:0} %" : "", MinWidth: 6),
        .. HostCpuText.BusiestColumns<Line>(static line => line.Total, priority: 4),
    ];

    private static readonly Column<Line> Places =
        HostCpuText.PlacesColumn<Line>(static line => line.Total, priority: 6);

    private static readonly Table<Line> Sent = new([.. Columns, Places]);

    private static readonly Table<Line> Received = new(
    [
        .. Columns,
        new("lost", Align.Right, 1, static line => line.Lost is { } lost ? Units.Count(lost) : "", MinWidth: 10),
        Places,
    ]);

    private static readonly Table<StreamReport> Streams = new(
        new("stream", Align.Left, 0, static stream => stream.StreamId),
        new("datagrams", Align.Right, 0, static stream => Units.Count(stream.Datagrams)),
        new("bytes", Align.Right, 3, static stream => Units.Count(stream.Bytes)),
        new("lost", Align.Right, 0, static stream => Units.Count(stream.Lost)),
        new("duplicated", Align.Right, 2, static stream => Units.Count(stream.Duplicated)),
        new("reordered", Align.Right, 1, static stream => Units.Count(stream.Reordered)));

    private readonly RowByRow<Line> _lines = new(isReceiver ? Received : Sent, writer);

    public void WriteInterval(TrafficInterval interval)
    {
        IntervalReport total = interval.Total;
        _lines.Add(new Line(TimeOf(total), total.DatagramsPerSecond, total.BitsPerSecond, total.Lost, total));
        foreach (FlowInterval flow in interval.Flows)
        {
            _lines.Add(new Line(
                (isReceiver ? "stream " : "flow ") + flow.Name.Trim(),
                total.RateOf(flow.Datagrams),
                total.RateOf(8.0 * flow.Bytes),
                flow.Lost,
                Total: null));
        }

        if (interval.FlowCount > interval.Flows.Count && interval.Flows.Count > 0)
        {
            writer.Line($"{"",15} and {interval.FlowCount - interval.Flows.Count} more");
        }

        if (showsAllCores) HostCpuText.WriteTable(total.Cores, writer);
    }

    public void WriteSummary(TrafficReport report)
    {
        writer.Line();
        writer.Line($"{(isReceiver ? "received" : "sent")} {TotalOf(report)}");
        if (isReceiver)
        {
            WriteLosses(report);
        }
        else
        {
            WriteShortfall(report);
            if (report.Pacing is { } pacing) writer.Line(PacingOf(pacing));
        }

        double perCall = Statistics.Ratio(report.Datagrams, report.Calls);
        writer.Line($"{perCall:0.0} datagrams per call; "
            + $"CPU {report.CpuUserSeconds:0.00} s user, {report.CpuSystemSeconds:0.00} s system; "
            + TransportOf(report));
        HostText.Write(report, showsAllCores, isVerbose, writer);
        if (report.GsoFallbacks > 0) writer.Line($"GSO fallbacks: {report.GsoFallbacks}");

        WriteStreams(report);
    }

    /// <summary>The begin and the end of an interval in seconds since the run began.</summary>
    internal static string TimeOf(IntervalReport total) =>
        $"{total.StartSeconds:0.0}-{total.StartSeconds + total.Seconds:0.0}";

    internal static string TotalOf(EndReport report)
    {
        string size = report.SizeBytes is { } sizeBytes ? $" of {sizeBytes} bytes" : "";
        string rates = report.IsTooShortForRate
            ? "too short for a rate"
            : $"{Units.PerSecond(report.DatagramsPerSecond)}/s, {Units.BitsPerSecond(report.BitsPerSecond)}";
        return $"{Units.Count(report.Datagrams)} datagrams{size} in {report.Seconds:0.00} s: {rates}";
    }

    internal static string TransportOf(EndReport report) =>
        $"{string.Join(", ", (string[])[report.Backend ?? "", .. report.Offloads])}; buffer "
        + $"{Units.Bytes(report.BufferGrantedBytes)} of {Units.Bytes(report.BufferAskedBytes)} requested";

    /// <summary>A sentence for a run in which only announcements arrived; null for other runs.</summary>
    internal static string? OnlyAnnounced(EndReport report) => report.OnlyAnnounced > 0
        ? $"only announcements arrived: {Units.Count(report.OnlyAnnounced)} datagrams were sent, "
            + "and all of them are lost"
        : null;

    internal static string PacingOf(PacingReport pacing)
    {
        PacingErrorReport error = pacing.GapError;
        string skipped = pacing.Skipped > 0 ? $", {Units.Count(pacing.Skipped)} skipped" : "";
        return $"pace {pacing.Mode}: off schedule by p50 {Microseconds(error.P50Microseconds)} us, p90 "
            + $"{Microseconds(error.P90Microseconds)}, p99 {Microseconds(error.P99Microseconds)}, max "
            + $"{Microseconds(error.MaxMicroseconds)}; {Units.Count(pacing.Bursts)} bursts of up to "
            + $"{Units.Count(pacing.MostPerBurst)}{skipped}";
    }

    private void WriteShortfall(TrafficReport report)
    {
        if (report.Refused > 0) writer.Line($"refused by this system: {Units.Count(report.Refused)}");

        double tried = Statistics.Ratio(report.Datagrams + report.Refused, report.Seconds);
        bool isShort = tried < ReachedShare * report.RateAskedDatagramsPerSecond;
        if (isShort && report.Seconds >= MinJudgedSeconds)
        {
            string asked = Units.PerSecond(report.RateAskedDatagramsPerSecond ?? 0);
            writer.Line($"{Units.PerSecond(tried)}/s of {asked}/s requested; the sender is the limit");
        }
    }

    private static string Microseconds(double value) => Units.Number(value, value < 100 ? "0.0" : "#,0");

    private void WriteLosses(TrafficReport report)
    {
        if (OnlyAnnounced(report) is { } announcement)
        {
            writer.Line(announcement);
        }
        else if (report.PerStream.Length > 0)
        {
            string least = report.EndedStreams == report.Streams ? "" : "at least ";
            writer.Line($"lost {least}{Units.Count(report.Lost ?? 0)} ({report.LostPercent ?? 0:0.####} %), "
                + $"duplicated {Units.Count(report.Duplicated ?? 0)}, reordered {Units.Count(report.Reordered ?? 0)}"
                + $", outside the tracking window {Units.Count(report.Late ?? 0)}, "
                + $"before the first arrival {Units.Count(report.MissedBeforeFirst ?? 0)}");
            if (least.Length > 0)
            {
                writer.Line($"{Units.Count(report.Streams - report.EndedStreams)} of {Units.Count(report.Streams)} "
                    + "sender(s) never announced an end: their last datagrams may be lost too");
            }

            if (report.Verdict is { } verdict)
            {
                writer.Line(DocsAnchor.Append(verdict, report.Remedy is null ? DocsAnchor.None : DocsAnchor.Verdict));
            }

        }

        AccountingText.Write(report, writer);
        if (report.OtherDatagrams > 0 || (report.UnnumberedSent > 0 && report.Datagrams > 0))
        {
            string announced = report.UnnumberedSent is { } sent
                ? $" of {Units.Count(sent)} announced by their senders"
                : ", so loss is unknown";
            writer.Line($"not numbered: {Units.Count(report.OtherDatagrams)}{announced}");
        }

        if (report.UntrackedDatagrams > 0)
        {
            writer.Line($"not tracked: {Units.Count(report.UntrackedDatagrams)} datagrams of "
                + $"{Units.Count(report.UntrackedStreams)} streams above the limit");
        }

        if (report.KernelDrops is > 0)
        {
            // A verdict names the cause and what helps; two pieces of advice would contradict each other.
            string advice = report.Verdict is null
                ? $"; a larger --buffer or more --flows help ({DocsAnchor.SocketDrops})"
                : "";
            writer.Line($"dropped by the kernel, receive buffer full: {Units.Count(report.KernelDrops.Value)} "
                + $"{report.KernelDropUnit}{advice}");
        }
    }

    private void WriteStreams(TrafficReport report)
    {
        if (report.PerStream.Length < 2) return;

        writer.Line();
        writer.Table(Streams, report.PerStream.Take(TrafficInterval.MaxFlows));
        if (report.PerStream.Length > TrafficInterval.MaxFlows)
        {
            writer.Line($"and {report.PerStream.Length - TrafficInterval.MaxFlows} more: --json has them all");
        }
    }

    /// <summary>One line of an interval: for all datagrams, or for one flow or stream.</summary>
    /// <param name="DatagramsPerSecond">Null where the interval is too short.</param>
    /// <param name="Total">The interval; null on the line of a flow or stream.</param>
    private readonly record struct Line(
        string Name, double? DatagramsPerSecond, double? BitsPerSecond, long? Lost, IntervalReport? Total);
}

/// <summary>The lines of <c>receive</c> and <c>serve</c> about test datagrams.</summary>
internal static class AccountingText
{
    public static void Write(EndReport report, TerminalWriter writer)
    {
        if (report.LossBursts is { Count: > 0 } bursts)
        {
            writer.Line($"loss bursts: {Units.Count(bursts.Count)}, mean {Mean(bursts)}, "
                + $"longest {Units.Count(bursts.Max)} datagrams");
        }

        if (report.ReorderExtent is { Count: > 0 } extent)
        {
            writer.Line($"reordering extent: mean {Mean(extent)}, max {Units.Count(extent.Max)} datagrams");
        }

        if (report.AfterDeadline > 0) writer.Line($"after the deadline: {Units.Count(report.AfterDeadline)}");

        if (report.Corrupted > 0)
        {
            writer.Line($"corrupted: {Units.Count(report.Corrupted)}, wrong or missing checksum "
                + "(spate send --verify adds it)");
        }

        if (report.UnknownDatagrams > 0)
        {
            writer.Line("other datagrams of the test protocol (late or duplicate control messages, a "
                + $"newer version, or damage): {Units.Count(report.UnknownDatagrams)}");
        }

        if (report.DelayVariation is { MaxMicroseconds: > 0 } delay)
        {
            writer.Line($"delay above minimum: p50 {Micro(delay.P50Microseconds)} us, p99 "
                + $"{Micro(delay.P99Microseconds)}, p99.9 {Micro(delay.P999Microseconds)}, "
                + $"max {Micro(delay.MaxMicroseconds)}{Drift(delay)}");
        }
    }

    private static string Mean(LengthReport lengths) => Units.Number(lengths.Mean, "#,0.0");

    private static string Micro(double microseconds) => Units.Number(microseconds, "#,0.0");

    private static string Drift(DelayVariation delay) => delay.DriftPartsPerMillion == 0
        ? ""
        : string.Create(
            CultureInfo.InvariantCulture, $"; clock drift {delay.DriftPartsPerMillion:0.0} ppm, removed");
}
