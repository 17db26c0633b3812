using System.Globalization;
using Spate.Cli.Host;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Traffic;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Serve;

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

    public static void Write(ServeReport report, bool showsAllCores, TerminalWriter writer)
    {
        writer.Line();
        writer.Line($"handled {TrafficText.TotalOf(report)}");
        WriteProcessed(report, writer);
        WriteSent(report, writer);
        WriteDrops(report, writer);
        WriteCost(report, showsAllCores, writer);
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
                + $"before the first {Units.Count(report.MissedBeforeFirst ?? 0)}, "
                + $"duplicated {Units.Count(report.Duplicated ?? 0)}, reordered {Units.Count(report.Reordered)}, "
                + $"too late to tell {Units.Count(report.Late ?? 0)}");
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
                ? $" of {Units.Count(sent)} that their senders announced"
                : ", of which no loss on the way is known";
            writer.Line($"not numbered: {Units.Count(report.OtherDatagrams)}{announced}");
        }

        if (report.UntrackedDatagrams > 0)
        {
            writer.Line($"of {Units.Count(report.UntrackedStreams)} streams more than are followed: "
                + Units.Count(report.UntrackedDatagrams));
        }
    }

    private static void WriteSent(ServeReport report, TerminalWriter writer)
    {
        if (report.App is not ("echo" or "relay")) return;

        long others = report.Unanswered - report.WornOut - report.AnswersWithheld;
        string why = report.App is "echo" ? "to a port that is not answered" : "from a destination";
        writer.Line($"sent {Units.Count(report.Sent)}, refused by this system {Units.Count(report.Refused)}, "
            + $"given up at a full send buffer {Units.Count(report.SendDropped)}, "
            + $"left out {Units.Count(others)} ({why})");
        if (report.WornOut > 0)
        {
            writer.Line($"not answered: {Units.Count(report.WornOut)} that came with a time to live of 1, as from "
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
        writer.Line($"dropped by the kernel because a socket was full: {Units.Count(report.KernelDrops)} "
            + $"{report.KernelDropUnit}{advice}");
        if (report.TurnedAwayAtEnd > 0)
        {
            writer.Line($"turned away while ending: {Units.Count(report.TurnedAwayAtEnd.Value)} "
                + $"{report.KernelDropUnit} (copies of announced ends, unless somebody went on sending)");
        }

        if (report.HandlerFaults > 0)
        {
            writer.Line($"handlers failed {Units.Count(report.HandlerFaults)} time(s), in batches of "
                + $"{Units.Count(report.DatagramsFaulted)} datagrams");
        }
    }

    private static void WriteCost(ServeReport report, bool showsAllCores, TerminalWriter writer)
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
        HostText.Write(report, showsAllCores, writer);
    }
}
