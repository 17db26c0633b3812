using System.Globalization;
using Spate.Cli.Host;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Traffic;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Serve;

/// <summary>
/// The text of <c>spate serve</c>. On a terminal, a table of the threads is redrawn in place each interval; elsewhere,
/// each interval adds a line. The summary and the table of the whole run follow at the end.
/// </summary>
internal sealed class ServeText(
    TerminalWriter writer, bool showsAllCores = false, bool isVerbose = false) : IDisposable
{
    private static readonly Table<ServeInterval> Lines = new(
    [
        new("seconds", Align.Right, 0, static interval => TrafficText.TimeOf(interval.Total), MinWidth: 13),
        new("datagrams/s", Align.Right, 0, static interval =>
            Units.PerSecond(interval.Total.DatagramsPerSecond), MinWidth: 11),
        new("payload", Align.Right, 3, static interval =>
            Units.BitsPerSecond(interval.Total.BitsPerSecond), MinWidth: 12),
        new("CPU", Align.Right, 2, static interval => $"{interval.Total.CpuPercent:0} %", MinWidth: 6),
        .. HostCpuText.BusiestColumns<ServeInterval>(static interval => interval.Total, priority: 5),
        new("per call", Align.Right, 4, static interval => $"{PerCall(interval):0.0}", MinWidth: 8),
        new("drops", Align.Right, 1, static interval => Units.Count(interval.KernelDrops), MinWidth: 8),
        HostCpuText.PlacesColumn<ServeInterval>(static interval => interval.Total, priority: 7),
    ]);

    private static readonly Table<(ThreadIntervalReport Thread, IntervalReport Total)> Threads = new(
        new("thread", Align.Left, 0, static line => NameOf(line.Thread.Index)),
        new("CPU\nno.", Align.Right, 6, static line => Units.Count(line.Thread.Cpu)),
        new("datagrams\n/s", Align.Right, 0, static line =>
            Units.PerSecond(line.Total.RateOf(line.Thread.Datagrams))),
        new("share\n%", Align.Right, 3, static line => line.Thread.Index < 0
            ? ""
            : $"{100 * Statistics.Ratio(line.Thread.Datagrams, line.Total.Datagrams):0.0}"),
        new("least\n/call", Align.Right, 5, static line => Units.Count(line.Thread.LeastPerCall)),
        new("mean\n/call", Align.Right, 2, static line =>
            $"{line.Thread.MeanPerCall:0.0}"),
        new("most\n/call", Align.Right, 4, static line => Units.Count(line.Thread.MostPerCall)),
        new("CPU\n%", Align.Right, 1, static line =>
            Rate(100 * line.Thread.CpuNanoseconds / 1e9, line.Total.Seconds)),
        new("switches\n/s", Align.Right, 7, static line =>
            Rate(line.Thread.VoluntarySwitches, line.Total.Seconds)),
        new("forced\n/s", Align.Right, 8, static line =>
            Rate(line.Thread.InvoluntarySwitches, line.Total.Seconds)),
        new("sessions", Align.Right, 9, static line => Units.Count(line.Thread.Sessions)));

    private readonly LiveBlock? _live = writer.CanRedraw ? new LiveBlock(writer) : null;
    private readonly RowByRow<ServeInterval> _rows = new(Lines, writer);

    public void WriteInterval(ServeInterval interval)
    {
        if (_live is null)
        {
            _rows.Add(interval);
            if (showsAllCores) HostCpuText.WriteTable(interval.Total.Cores, writer);
            return;
        }

        string drawn = Draw(interval, interval.Total.Threads.Length);
        int excess = drawn.AsSpan().Count('\n') - writer.MaxRedrawnLines;
        if (excess > 0)
        {
            // A further line is needed for the number of threads that are not shown.
            drawn = Draw(interval, Math.Max(1, interval.Total.Threads.Length - excess - 1));
        }

        _live.Show(drawn);
    }

    public void WriteSummary(ServeReport report)
    {
        _live?.Dispose();
        ServeSummary.Write(report, showsAllCores, isVerbose, writer);
    }

    public void Dispose() => _live?.Dispose();

    internal static string NameOf(int shardIndex) => shardIndex < 0 ? "receiver" : $"{shardIndex}";

    private string Draw(ServeInterval interval, int threadCount) => writer.Draw(drawn =>
    {
        drawn.Line(Headline(interval));
        drawn.Table(Threads, Busiest(interval.Total.Threads, threadCount).Select(thread => (thread, interval.Total)));
        if (showsAllCores) HostCpuText.WriteTable(interval.Total.Cores, drawn);
        if (threadCount < interval.Total.Threads.Length)
        {
            drawn.Line($"... and {interval.Total.Threads.Length - threadCount} more threads, less busy");
        }
    });

    private static string Headline(ServeInterval interval)
    {
        IntervalReport total = interval.Total;
        string lost = total.Lost is { } count ? $", lost {Units.Count(count)}" : "";
        return $"{total.StartSeconds + total.Seconds:0.#} s: {Units.PerSecond(total.DatagramsPerSecond)}/s, "
            + $"{Units.BitsPerSecond(total.BitsPerSecond)}, CPU {total.CpuPercent:0} %, "
            + $"{HostCpuText.Sentence(total)}, "
            + $"kernel drops {Units.Count(interval.KernelDrops)}{lost}; Ctrl-C ends";
    }

    /// <summary>The busiest threads, in the order of their indexes.</summary>
    private static IEnumerable<ThreadIntervalReport> Busiest(ThreadIntervalReport[] threads, int count) =>
        threads.OrderByDescending(static thread => thread.Datagrams)
            .Take(count)
            .OrderBy(static thread => thread.Index);

    private static double PerCall(ServeInterval interval)
    {
        long calls = interval.Total.Threads.Sum(static thread => thread.Index >= 0 ? thread.Calls : 0);
        return Statistics.Ratio(interval.Total.Datagrams, calls);
    }

    private static string Rate(double? amount, double seconds) =>
        Units.Number(amount is { } known ? Statistics.Ratio(known, seconds) : null, "0");
}

/// <summary>The summary of <c>spate serve</c>: results and cost of the run, and the work of each thread.</summary>
internal static class ServeSummary
{
    private static readonly Table<ServerThreadReport> Table = new(
        new("thread", Align.Left, 0, static thread => ServeText.NameOf(thread.Shard)),
        new("CPU", Align.Right, 8, static thread => Units.Count(thread.Cpu)),
        new("datagrams", Align.Right, 0, static thread => Units.Count(thread.Datagrams)),
        new("share %", Align.Right, 1, static thread => thread.SharePercent is { } share ? $"{share:0.0}" : ""),
        new("calls", Align.Right, 5, static thread => Units.Count(thread.Calls)),
        new("least", Align.Right, 7, static thread => Units.Count(thread.LeastPerCall)),
        new("mean", Align.Right, 3, static thread => $"{thread.MeanPerCall:0.0}"),
        new("most", Align.Right, 6, static thread => Units.Count(thread.MostPerCall)),
        new("CPU s", Align.Right, 2, static thread => Units.Number(thread.CpuSeconds, "0.00")),
        new("user s", Align.Right, 11, static thread => Units.Number(thread.UserNanoseconds / 1e9, "0.00")),
        new("system s", Align.Right, 12, static thread => Units.Number(thread.SystemNanoseconds / 1e9, "0.00")),
        new("switches", Align.Right, 4, static thread => Units.Count(thread.VoluntarySwitches)),
        new("forced", Align.Right, 9, static thread => Units.Count(thread.InvoluntarySwitches)),
        new("sessions", Align.Right, 10, static thread => Units.Count(thread.Sessions)),
        new("cycles", Align.Right, 13, static thread => Units.Count(thread.Cycles), HidesIfEmpty: true),
        new("id", Align.Right, 14, static thread =>
            thread.SystemThreadId?.ToString(CultureInfo.InvariantCulture) ?? Units.NotKnown),
        new("may run on", Align.Right, 15, static thread => thread.AllowedCpuList ?? Units.NotKnown));

    public static void Write(ServeReport report, bool showsAllCores, bool isVerbose, TerminalWriter writer)
    {
        writer.Line();
        writer.Line($"handled {TrafficText.TotalOf(report)}");
        WriteProcessed(report, writer);
        WriteSent(report, writer);
        WriteDrops(report, writer);
        WriteCost(report, showsAllCores, isVerbose, writer);
        writer.Line();
        writer.Table(Table, report.Threads);
    }

    private static void WriteProcessed(ServeReport report, TerminalWriter writer)
    {
        if (TrafficText.OnlyAnnounced(report) is { } announcement)
        {
            writer.Line(announcement);
        }
        else if (report.ProcessedPercent is { } percent)
        {
            string announced = report.EndedStreams == report.Streams
                ? "all ends announced"
                : $"{Units.Count(report.EndedStreams)} end(s) announced";

            // A sender that has not announced its end may have sent more than was received.
            string least = report.EndedStreams == report.Streams ? "" : "at least ";
            writer.Line($"processed {Units.Count(report.Processed)} of "
                + $"{least}{Units.Count(report.ProcessedOf)} sent "
                + $"({percent:0.####} %) "
                + $"in {Units.Count(report.Streams)} stream(s), {announced}; lost {Units.Count(report.Lost ?? 0)}, "
                + $"before the first arrival {Units.Count(report.MissedBeforeFirst ?? 0)}, "
                + $"duplicated {Units.Count(report.Duplicated ?? 0)}, reordered {Units.Count(report.Reordered)}, "
                + $"outside the tracking window {Units.Count(report.Late ?? 0)}");
        }

        AccountingText.Write(report, writer);
        if (report.SilentSenders > 0)
        {
            writer.Line($"{Units.Count(report.SilentSenders)} sender(s) never announced an end: counted as ended "
                + $"after {report.PatienceSeconds:0.###} s of silence");
        }

        if (report.OtherDatagrams > 0)
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
    }

    private static void WriteSent(ServeReport report, TerminalWriter writer)
    {
        if (report.App is not ("echo" or "relay")) return;

        long others = report.Unanswered - report.WornOut - report.AnswersWithheld;
        string why = report.App is "echo" ? "to a port that is not answered" : "from a destination";
        writer.Line($"sent {Units.Count(report.Sent)}, refused by this system {Units.Count(report.Refused)}, "
            + $"dropped at a full send buffer {Units.Count(report.SendDropped)}, "
            + $"left out {Units.Count(others)} ({why})");
        if (report.WornOut > 0)
        {
            writer.Line($"not answered: {Units.Count(report.WornOut)} that arrived with TTL 1, as from "
                + "another echo server");
        }

        if (report.AnswersWithheld > 0)
        {
            writer.Line($"answers withheld: {Units.Count(report.AnswersWithheld)}, because a peer had used up its "
                + $"{Units.Count(report.AnswersPerPeer)}, as another echo server, or a client that repeats its "
                + "payloads (--answers-per-peer N raises the limit, off removes it; "
                + $"{DocsAnchor.AnswersWithheld})");
        }
    }

    private static void WriteDrops(ServeReport report, TerminalWriter writer)
    {
        string advice = report.KernelDrops > 0
            ? $"; a larger --buffer, more --threads or another --design help ({DocsAnchor.SocketDrops})"
            : "";
        writer.Line($"dropped by the kernel, receive buffer full: {Units.Count(report.KernelDrops)} "
            + $"{report.KernelDropUnit}{advice}");
        if (report.TurnedAwayAtEnd > 0)
        {
            writer.Line($"refused during shutdown: {Units.Count(report.TurnedAwayAtEnd.Value)} "
                + $"{report.KernelDropUnit} (copies of announced ends, unless a sender continued)");
        }

        if (report.HandlerFaults > 0)
        {
            writer.Line($"handlers failed {Units.Count(report.HandlerFaults)} time(s), in batches of "
                + $"{Units.Count(report.DatagramsFaulted)} datagrams");
        }
    }

    private static void WriteCost(ServeReport report, bool showsAllCores, bool isVerbose, TerminalWriter writer)
    {
        string work = report.WorkNanosecondsPerRound is { } nanoseconds
            ? $", {report.WorkRounds * nanoseconds:0} of them work ({report.WorkRounds} rounds of {nanoseconds:0.00})"
            : "";
        writer.Line($"CPU {report.CpuUserSeconds:0.00} s user, {report.CpuSystemSeconds:0.00} s system: "
            + $"{report.CpuNanosecondsPerDatagram:0} ns per datagram{work}");
        string interrupts = report.InterruptsPerSecond is { } rate ? Units.PerSecond(rate) : Units.NotKnown;
        string memory = report.NonPagedPoolBytes is { } pool
            ? $"non-paged pool {Units.Bytes(pool)}"
            : $"locked memory {(report.LockedBytes is { } bytes ? Units.Bytes(bytes) : Units.NotKnown)}";
        writer.Line($"{report.App}, {report.Design}; "
            + $"{TrafficText.TransportOf(report)}; "
            + $"{memory}; {interrupts} interrupts/s on the machine");
        writer.Line($"UDP of all programs here: received {Units.Count(report.HostUdpReceived)}, errors "
            + $"{Units.Count(report.HostUdpErrors)}, to no port {Units.Count(report.HostUdpNoPorts)}");
        HostText.Write(report, showsAllCores, isVerbose, writer);
    }
}
