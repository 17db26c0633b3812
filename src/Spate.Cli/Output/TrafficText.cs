using Spate.Measurement;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Output;

/// <summary>The lines of <c>spate send</c> and <c>spate receive</c>: one an interval, then the summary.</summary>
internal sealed class TrafficText(TextWriter output, bool isReceiver)
{
    // A rate is kept to a thousandth; what a stall at the very end cost is no limit of the sender.
    private const double ReachedShare = 0.98;

    // Over less than this a single late wake-up would look like a limit.
    private const double JudgedSeconds = 0.5;

    private bool _hasHeader;

    public void WriteInterval(TrafficInterval interval)
    {
        if (!_hasHeader)
        {
            string header = $"{"seconds",15} {"datagrams/s",13} {"payload",15} {"CPU",7}";
            output.WriteLine(isReceiver ? $"{header} {"lost",11}" : header);
            _hasHeader = true;
        }

        IntervalReport total = interval.Total;
        string seconds = $"{total.StartSeconds:0.0}-{total.StartSeconds + total.Seconds:0.0}";
        output.WriteLine($"{seconds,15} {Units.PerSecond(total.DatagramsPerSecond),13} "
            + $"{Units.BitsPerSecond(total.BitsPerSecond),15} {total.CpuPercent,5:0} %{LostColumn(total.Lost)}");
        foreach (FlowInterval flow in interval.Flows)
        {
            string name = (isReceiver ? "stream " : "flow ") + SafeText.Clean(flow.Name.Trim());
            double datagramsPerSecond = Statistics.Ratio(flow.Datagrams, total.Seconds);
            double bitsPerSecond = Statistics.Ratio(8.0 * flow.Bytes, total.Seconds);
            string line = $"{name,15} {Units.PerSecond(datagramsPerSecond),13} {Units.BitsPerSecond(bitsPerSecond),15} "
                + $"{"",7}{LostColumn(flow.Lost)}";
            output.WriteLine(line.TrimEnd());
        }

        if (interval.FlowCount > interval.Flows.Count && interval.Flows.Count > 0)
        {
            output.WriteLine($"{"",15} and {interval.FlowCount - interval.Flows.Count} more");
        }
    }

    public void WriteSummary(TrafficReport report)
    {
        string size = report.SizeBytes is { } sizeBytes ? $" of {sizeBytes} bytes" : "";
        output.WriteLine();
        output.WriteLine($"{(isReceiver ? "received" : "sent")} {Units.Count(report.Datagrams)} datagrams{size} "
            + $"in {report.Seconds:0.00} s: {RatesOf(report)}");
        if (isReceiver)
        {
            WriteLosses(report);
        }
        else
        {
            WriteShortfall(report);
        }

        double perCall = Statistics.Ratio(report.Datagrams, report.Calls);
        output.WriteLine($"{perCall:0.0} datagrams per call; "
            + $"CPU {report.CpuUserSeconds:0.00} s user, {report.CpuSystemSeconds:0.00} s system; "
            + $"{string.Join(", ", (string[])[report.Backend ?? "", .. report.Offloads])}; buffer "
            + $"{Units.Bytes(report.BufferGrantedBytes)} of {Units.Bytes(report.BufferAskedBytes)} asked");
        if (report.Demotions > 0)
        {
            output.WriteLine($"trains that the route refused and that were sent plainly: {report.Demotions}");
        }

        WriteStreams(report);
    }

    /// <summary>Datagrams and bits a second, or that the time was too short for a rate.</summary>
    internal static string RatesOf(TrafficReport report) =>
        report.IsTooShortForRate
            ? "too short to tell a rate"
            : $"{Units.PerSecond(report.DatagramsPerSecond ?? 0)}/s, {Units.BitsPerSecond(report.BitsPerSecond ?? 0)}";

    /// <summary>Says that nothing but announcements arrived; null where that is not so.</summary>
    internal static string? OnlyAnnounced(TrafficReport report) => report.OnlyAnnounced > 0
        ? $"only announcements arrived: {Units.Count(report.OnlyAnnounced)} datagrams were sent, "
            + "and all of them are lost"
        : null;

    private void WriteShortfall(TrafficReport report)
    {
        if (report.Refused > 0)
        {
            output.WriteLine($"refused by this system: {Units.Count(report.Refused)}");
        }

        double tried = Statistics.Ratio(report.Datagrams + report.Refused, report.Seconds);
        bool isShort = tried < ReachedShare * report.RateAskedDatagramsPerSecond;
        if (isShort && report.Seconds >= JudgedSeconds)
        {
            string asked = Units.PerSecond(report.RateAskedDatagramsPerSecond ?? 0);
            output.WriteLine($"{Units.PerSecond(tried)}/s of {asked}/s asked; the sender is the limit");
        }
    }

    private void WriteLosses(TrafficReport report)
    {
        if (OnlyAnnounced(report) is { } announcement)
        {
            output.WriteLine(announcement);
        }
        else if (report.PerStream.Length > 0)
        {
            output.WriteLine($"lost {Units.Count(report.Lost ?? 0)} ({report.LostPercent ?? 0:0.####} %), "
                + $"duplicated {Units.Count(report.Duplicated ?? 0)}, reordered {Units.Count(report.Reordered ?? 0)}"
                + $", too late to tell {Units.Count(report.Late ?? 0)}, "
                + $"before the first {Units.Count(report.MissedBeforeFirst ?? 0)}");
        }

        if (report.OtherDatagrams > 0 || (report.UnnumberedSent > 0 && report.Datagrams > 0))
        {
            string announced = report.UnnumberedSent is { } sent
                ? $" of {Units.Count(sent)} that their senders announced"
                : "";
            output.WriteLine(
                $"not numbered, so without loss count: {Units.Count(report.OtherDatagrams)}{announced}");
        }

        if (report.UntrackedDatagrams > 0)
        {
            output.WriteLine($"of {report.UntrackedStreams} streams more than are followed: "
                + Units.Count(report.UntrackedDatagrams));
        }

        if (report.KernelDrops is > 0)
        {
            output.WriteLine($"dropped because the socket was full: {Units.Count(report.KernelDrops.Value)} "
                + $"{report.KernelDropUnit}; a larger --buffer or more --flows help");
        }
    }

    private void WriteStreams(TrafficReport report)
    {
        if (report.PerStream.Length < 2)
        {
            return;
        }

        output.WriteLine();
        var table = new Table(
            new("stream"), new("datagrams", true), new("bytes", true), new("lost", true), new("duplicated", true),
            new("reordered", true));
        foreach (StreamReport stream in report.PerStream.Take(TrafficInterval.MaxFlows))
        {
            table.Add(
                stream.StreamId,
                Units.Count(stream.Datagrams),
                Units.Count(stream.Bytes),
                Count(stream.Lost),
                Count(stream.Duplicated),
                Count(stream.Reordered));
        }

        TableOutput.WritePlain(table, output);
        if (report.PerStream.Length > table.Rows.Count)
        {
            output.WriteLine($"and {report.PerStream.Length - table.Rows.Count} more: --json has them all");
        }
    }

    private static string LostColumn(long? lost) => lost is { } known ? $" {Units.Count(known),11}" : "";

    private static string Count(long? count) => count is { } known ? Units.Count(known) : "-";
}
