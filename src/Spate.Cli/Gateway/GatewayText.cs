using Spate.Cli.Host;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Traffic;
using Spate.Measurement.Reports;

namespace Spate.Cli.Gateway;

/// <summary>The text of <c>spate gateway</c>: a line per interval, and the account at the end.</summary>
internal sealed class GatewayText(TerminalWriter writer)
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
            writer.Line("in doubt: published on a connection that was lost, and not confirmed since; spate gateway "
                + "read --verify shows which are stored");
        }

        string advice = report.KernelDrops > 0 ? "; a larger --receive-buffer or more --threads help" : "";
        writer.Line($"dropped by the kernel before that, because a socket was full: {Units.Count(report.KernelDrops)} "
            + $"{report.KernelDropUnit}{advice}");
        if (report.Unread > 0)
        {
            writer.Line($"queued at the sockets when it stopped, and not read: {Units.Count(report.Unread)}");
        }

        writer.Line(MessagesOf(report));
        writer.Line($"CPU {report.CpuUserSeconds:0.00} s user, {report.CpuSystemSeconds:0.00} s system; "
            + TrafficText.TransportOf(report));
        HostText.Write(report, showsAllCores: false, writer);
    }

    // Without a broker there is nobody who confirms.
    private static string MessagesOf(GatewayReport report) => report.Queue is null
        ? $"messages filled and thrown away {Units.Count(report.MessagesConfirmed)}, the gateway's messages about "
            + "its own state among them (null: has no broker)"
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
            (report.DroppedShutdown, "because the time to stop was over (--drain)"),
            (report.NotAllowed, "because of their source (--allow, --limit-per-prefix)"),
        ];
        return reasons.Where(static one => one.Count > 0).Select(one => $"{Units.Count(one.Count)} {one.Reason}");
    }
}
