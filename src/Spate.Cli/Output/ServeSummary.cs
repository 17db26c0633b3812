using Spate.Measurement;
using Spate.Measurement.Serving;

namespace Spate.Cli.Output;

/// <summary>The end of <c>spate serve</c>: what became of the datagrams, what it cost, who did it.</summary>
internal static class ServeSummary
{
    public static void Write(ServeReport report, Streams streams)
    {
        TextWriter output = streams.Output;
        string size = report.SizeBytes is { } sizeBytes ? $" of {sizeBytes} bytes" : "";
        output.WriteLine();
        output.WriteLine($"handled {Units.Count(report.Datagrams)} datagrams{size} "
            + $"in {report.Seconds:0.00} s: {TrafficText.RatesOf(report)}");
        WriteProcessed(report, output);
        WriteSent(report, output);
        WriteDrops(report, output);
        WriteCost(report, output);
        output.WriteLine();
        TableOutput.Write(TableOf(report), streams);
    }

    private static void WriteProcessed(ServeReport report, TextWriter output)
    {
        if (TrafficText.OnlyAnnounced(report) is { } announcement)
        {
            output.WriteLine(announcement);
        }
        else if (report.ProcessedPercent is { } percent)
        {
            string announced = report.EndedStreams == report.Streams
                ? "all ends announced"
                : $"{Units.Count(report.EndedStreams)} end(s) announced";
            // A sender that has not told its end may have sent more than was seen of it.
            string least = report.EndedStreams == report.Streams ? "" : "at least ";
            output.WriteLine($"processed {Units.Count(report.Processed)} of "
                + $"{least}{Units.Count(report.ProcessedOf)} sent "
                + $"({percent:0.####} %) "
                + $"in {Units.Count(report.Streams)} stream(s), {announced}; lost {Units.Count(report.Lost ?? 0)}, "
                + $"before the first {Units.Count(report.MissedBeforeFirst ?? 0)}, "
                + $"duplicated {Units.Count(report.Duplicated ?? 0)}, reordered {ServeText.Text(report.Reordered)}, "
                + $"too late to tell {Units.Count(report.Late ?? 0)}");
        }

        if (report.SilentSenders > 0)
        {
            output.WriteLine($"{Units.Count(report.SilentSenders)} sender(s) never announced an end: counted as ended "
                + $"after {report.PatienceSeconds:0.###} s of silence");
        }

        if (report.OtherDatagrams > 0)
        {
            string announced = report.UnnumberedSent is { } sent
                ? $" of {Units.Count(sent)} that their senders announced"
                : ", of which no loss on the way is known";
            output.WriteLine($"not numbered: {Units.Count(report.OtherDatagrams)}{announced}");
        }

        if (report.UntrackedDatagrams > 0)
        {
            output.WriteLine($"of {Units.Count(report.UntrackedStreams)} streams more than are followed: "
                + Units.Count(report.UntrackedDatagrams));
        }
    }

    private static void WriteSent(ServeReport report, TextWriter output)
    {
        if (report.App is not ("echo" or "relay"))
        {
            return;
        }

        string why = report.App is "echo" ? "to a port that is not answered" : "from a destination";
        output.WriteLine($"sent {Units.Count(report.Sent)}, refused by this system {Units.Count(report.Refused)}, "
            + $"given up at a full send buffer {Units.Count(report.SendDropped)}, "
            + $"left out {Units.Count(report.Unanswered)} ({why})");
    }

    private static void WriteDrops(ServeReport report, TextWriter output)
    {
        string advice = report.KernelDrops > 0 ? "; a larger --buffer, more --threads or another --design help" : "";
        output.WriteLine($"dropped by the kernel because a socket was full: {ServeText.Text(report.KernelDrops)} "
            + $"{report.KernelDropUnit}{advice}");
        if (report.TurnedAwayAtEnd > 0)
        {
            output.WriteLine($"turned away while ending: {Units.Count(report.TurnedAwayAtEnd.Value)} "
                + $"{report.KernelDropUnit} (copies of announced ends, unless somebody went on sending)");
        }

        if (report.HandlerFaults > 0)
        {
            output.WriteLine($"handlers failed {Units.Count(report.HandlerFaults)} time(s), in batches of "
                + $"{Units.Count(report.DatagramsFaulted)} datagrams");
        }
    }

    private static void WriteCost(ServeReport report, TextWriter output)
    {
        string work = report.WorkNanosecondsPerRound is { } nanoseconds
            ? $", {report.WorkRounds * nanoseconds:0} of them work ({report.WorkRounds} rounds of {nanoseconds:0.00})"
            : "";
        output.WriteLine($"CPU {report.CpuUserSeconds:0.00} s user, {report.CpuSystemSeconds:0.00} s system: "
            + $"{report.CpuNanosecondsPerDatagram:0} ns per datagram{work}");
        string interrupts = report.InterruptsPerSecond is { } rate ? Units.PerSecond(rate) : "-";
        string locked = report.LockedBytes is { } bytes ? Units.Bytes(bytes) : "-";
        output.WriteLine($"{report.App}, {report.Design}; "
            + $"{string.Join(", ", (string[])[report.Backend ?? "", .. report.Offloads])}; buffer "
            + $"{Units.Bytes(report.BufferGrantedBytes)} of {Units.Bytes(report.BufferAskedBytes)} asked; "
            + $"locked memory {locked}; {interrupts} interrupts/s on the machine");
    }

    private static Table TableOf(ServeReport report)
    {
        var table = new Table(
            new("thread"), new("CPU", true), new("datagrams", true), new("share %", true), new("calls", true),
            new("least", true), new("mean", true), new("most", true), new("CPU s", true), new("switches", true),
            new("forced", true), new("sessions", true));
        foreach (ServeThreadReport thread in report.Threads)
        {
            table.Add(
                ServeText.NameOf(thread.Shard),
                ServeText.Text(thread.Cpu),
                Units.Count(thread.Datagrams),
                thread.SharePercent is { } share ? $"{share:0.0}" : "",
                Units.Count(thread.Calls),
                Units.Count(thread.LeastPerCall),
                $"{thread.MeanPerCall:0.0}",
                Units.Count(thread.MostPerCall),
                thread.CpuSeconds is { } seconds ? $"{seconds:0.00}" : "-",
                ServeText.Text(thread.VoluntarySwitches),
                ServeText.Text(thread.InvoluntarySwitches),
                ServeText.Text(thread.Sessions));
        }

        return table;
    }
}
