using System.Globalization;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Designs;

/// <summary>The tables, charts and answers of <c>spate bench designs</c>, for every amount of work.</summary>
internal static class DesignText
{
    private static readonly Table<(DesignRow Row, DesignThreadRow Thread)> Threads = new(
        new("design", Align.Left, 0, static line => line.Row.Design),
        new("thread", Align.Left, 1, static line => line.Thread.IsReceiver ? "receive" : "handle"),
        new("datagrams", Align.Right, 0, static line => Units.Count(line.Thread.Datagrams)),
        new("calls", Align.Right, 6, static line => Units.Count(line.Thread.Calls)),
        new("least", Align.Right, 8, static line => Units.Count(line.Thread.LeastPerCall)),
        new("mean", Align.Right, 2, static line => Units.Number(line.Thread.MeanPerCall, "0.0")),
        new("most", Align.Right, 7, static line => Units.Count(line.Thread.MostPerCall)),
        new("CPU ms", Align.Right, 3, static line => Milliseconds(line.Thread.CpuNanoseconds)),
        new("user ms", Align.Right, 4, static line => Milliseconds(line.Thread.UserNanoseconds)),
        new("system ms", Align.Right, 5, static line => Milliseconds(line.Thread.SystemNanoseconds)),
        new("switches", Align.Right, 9, static line => Units.Count(line.Thread.VoluntarySwitches)),
        new("forced", Align.Right, 10, static line => Units.Count(line.Thread.InvoluntarySwitches)),
        new("cycles", Align.Right, 11, static line => Units.Count(line.Thread.Cycles), HidesIfEmpty: true),
        new("id", Align.Right, 12, static line =>
            line.Thread.SystemThreadId?.ToString(CultureInfo.InvariantCulture) ?? Units.NotKnown),
        new("may run on", Align.Right, 13, static line => line.Thread.AllowedCpuList ?? Units.NotKnown));

    public static void Write(DesignsReport report, TerminalWriter writer)
    {
        BenchText.WriteHead(report, writer);
        writer.Line(Method(report));
        foreach (IGrouping<(int Threads, int Work), DesignRow> rows in report.Rows.GroupBy(
            static row => (row.ThreadCount, row.WorkRounds)))
        {
            writer.Line();
            writer.Line(Heading(rows.Key, report));
            writer.Table(DesignRow.Metrics.Table, rows);
            writer.Line();
            writer.Line("threads of the median round; user and system time in steps of 10 ms");
            writer.Table(Threads, rows.SelectMany(static row => row.Threads.Select(thread => (row, thread))));
            writer.Line();
            writer.Line("CPU ns of the server per datagram: lower is better");
            writer.Bars([.. rows.Where(static row => row.NanosecondsPerDatagram is not null).Select(BarOf)]);
            writer.Line();
            foreach (string answer in DesignAnswers.Of([.. rows]))
            {
                writer.Line(answer);
            }
        }

        if (report.Notes.Length > 0) writer.Line();

        foreach (string note in report.Notes)
        {
            writer.Line(note);
        }
    }

    private static string Method(DesignsReport report)
    {
        string generator = report.Threads[0].Cpu is { } cpu ? $"on CPU {cpu}" : "not pinned";
        string server = report.Threads.Length > 1
            ? "on CPU " + string.Join(",", report.Threads.Skip(1).Select(static thread => thread.Cpu))
            : "on CPUs chosen by the system";
        return $"{report.SizeBytes} bytes, {report.Flows} flows, one generator thread {generator}, server threads "
            + $"{server}; receive buffer {Units.Bytes(report.BufferGrantedBytes)} granted of "
            + $"{Units.Bytes(report.BufferAskedBytes)} requested; medians of {BenchText.Rounds(report.Rounds)} of "
            + $"{Units.Count(report.DatagramsPerRound)} datagrams; {report.Seconds:0} s in total";
    }

    private static string Heading((int Threads, int Work) key, DesignsReport report)
    {
        string work = key.Work == 0
            ? "no work per datagram"
            : $"{key.Work} rounds of work per datagram, {key.Work * report.NanosecondsPerWorkRound:0} ns";
        return $"{key.Threads} {(key.Threads == 1 ? "thread" : "threads")}, {work}";
    }

    /// <summary>Datagrams per call of the threads that ran handlers: least, mean and most.</summary>
    public static string PerCall(DesignThreadRow[] threads)
    {
        DesignThreadRow[] busy = [.. threads.Where(static thread => !thread.IsReceiver && thread.Calls > 0)];
        if (busy.Length == 0) return Units.NotKnown;

        double mean = Statistics.Ratio(busy.Sum(static t => t.Datagrams), busy.Sum(static t => t.Calls));
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{busy.Min(static t => t.LeastPerCall)}/{mean:0.#}/{busy.Max(static t => t.MostPerCall)}");
    }

    /// <summary>Context switches per second of all server threads: voluntary, then forced.</summary>
    public static string Switches(DesignRow row)
    {
        long? given = row.Threads.Aggregate((long?)0, static (sum, thread) => sum + thread.VoluntarySwitches);
        long? taken = row.Threads.Aggregate((long?)0, static (sum, thread) => sum + thread.InvoluntarySwitches);
        double seconds = row.Elapsed.TotalSeconds;
        return given is null || taken is null
            ? Units.NotKnown
            : $"{Units.Count((long)Statistics.Ratio(given.Value, seconds))}+"
                + Units.Count((long)Statistics.Ratio(taken.Value, seconds));
    }

    /// <summary>The share of each thread in whole per cents, largest first. Less than half a per cent is 0.</summary>
    public static string Shares(DesignThreadRow[] threads)
    {
        long[] counts = [.. threads.Where(static thread => !thread.IsReceiver).Select(static thread => thread.Datagrams)
            .OrderDescending()];
        double all = Math.Max(1, counts.Sum());
        int worked = counts.Count(static count => count > 0);
        IEnumerable<string> shares = counts.Where(static count => count > 0)
            .Select(count => (100 * count / all).ToString("0", CultureInfo.InvariantCulture));
        return $"{worked} of {counts.Length}: {string.Join(' ', shares)}";
    }

    public static string Memory(long? bytes) => bytes is { } known ? Units.Bytes(known) : Units.NotKnown;

    private static string Milliseconds(long? nanoseconds) => Units.Number(nanoseconds / 1e6, "0");

    private static Bar BarOf(DesignRow row) =>
        new(row.Design, row.NanosecondsPerDatagram!.Value, $"{row.NanosecondsPerDatagram:0} ns");
}

/// <summary>Sentences that compare the designs by their figures.</summary>
internal static class DesignAnswers
{
    private const string Baseline = "one-by-one";
    private const string Coalesced = "sharded-gro";

    /// <summary>Compares rows that have the same work and the same number of threads.</summary>
    public static IEnumerable<string> Of(IReadOnlyList<DesignRow> rows)
    {
        DesignRow[] known = [.. rows.Where(static row => row.NanosecondsPerDatagram > 0)];
        if (known.Length < 2) yield break;

        DesignRow[] singles = [.. known.Where(static row => row.Design is not Coalesced)];
        DesignRow? baseline = known.FirstOrDefault(static row => row.Design is Baseline);
        if (singles.Length > 1)
        {
            yield return Cheapest(singles, baseline);
            yield return Fastest(singles);
        }

        if (baseline is null) yield break;

        foreach (string name in (string[])["ring", "adaptive"])
        {
            if (known.FirstOrDefault(row => string.Equals(row.Design, name, StringComparison.Ordinal)) is { } row)
            {
                yield return Text($"{name} costs {CostOf(row) / CostOf(baseline):0.00} times one-by-one.");
            }
        }

        if (known.FirstOrDefault(static row => row.Design is Coalesced) is { } coalesced)
        {
            yield return Text($"one-by-one costs {CostOf(baseline) / CostOf(coalesced):0.0} times sharded-gro.");
        }
    }

    private static string Cheapest(DesignRow[] rows, DesignRow? baseline)
    {
        DesignRow best = rows.MinBy(CostOf)!;
        string compared = baseline is null || best == baseline
            ? ""
            : Text($", {CostOf(best) / CostOf(baseline):0.00} times one-by-one");
        return Text($"Least CPU time with uncoalesced datagrams: {best.Design}, {CostOf(best):0} ns{compared}.");
    }

    private static string Fastest(DesignRow[] rows)
    {
        DesignRow best = rows.MaxBy(static row => row.DatagramsPerSecond)!;
        return $"Most datagrams: {best.Design}, {Units.PerSecond(best.DatagramsPerSecond)}/s, "
            + Text($"{best.ProcessedPercent:0.0} % of those sent.");
    }

    private static double CostOf(DesignRow row) => row.NanosecondsPerDatagram!.Value;

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}

/// <summary>Notes that explain the figures of a row, one sentence each.</summary>
internal static class DesignNotes
{
    // A smaller share of the datagrams sent is not mentioned as unaccounted for.
    private const double MinShareToName = 0.0005;

    public static IEnumerable<string> Of(DesignRow row, IReadOnlyList<DesignMeasurement> rounds, long askedPerRound)
    {
        UdpBackend backend = rounds[^1].Backend;
        if (row.Design is "ring" && backend != UdpBackend.Uring)
        {
            yield return $"ring: io_uring is unavailable here, {NameText.Of(backend)} received the batches";
        }

        string name = $"{row.Design}, work {row.WorkRounds}, {row.ThreadCount} threads";
        long sent = rounds.Sum(static round => round.Sent);
        long missing = sent - rounds.Sum(static round => round.Handled);
        if (missing > 0)
        {
            yield return $"{name}: {Count(missing)} of {Count(sent)} were not handled: "
                + WhereTheyWent(row, rounds, sent, missing);
        }

        long refused = rounds.Sum(static round => round.Refused);
        long asked = askedPerRound * rounds.Count;
        if (sent + refused < asked) yield return $"{name}: sent {Count(sent)} of {Count(asked)} in the time available";

        if (refused > 0) yield return $"{name}: refused by the system: {Count(refused)} datagrams, not counted as sent";

        long fallbacks = rounds.Sum(static round => round.GsoFallbacks);
        if (fallbacks > 0) yield return $"{name}: GSO fallbacks: {fallbacks}, refused by the route";
    }

    private static string WhereTheyWent(
        DesignRow row, IReadOnlyList<DesignMeasurement> rounds, long sent, long missing)
    {
        long? kernelDrops = rounds.Aggregate((long?)0, static (sum, round) => sum + round.KernelDrops);
        long? backlogDrops = rounds.Aggregate((long?)0, static (sum, round) => sum + round.BacklogDrops);
        bool isCoalesced = row.Design.EndsWith("-gro", StringComparison.Ordinal);
        string unit = isCoalesced ? "coalesced buffers" : "datagrams";
        long? errors = rounds.Aggregate((long?)0, static (sum, round) => sum + round.HostUdpErrors);
        string drops = kernelDrops is long kernel
            ? $"{Count(kernel)} {unit} dropped by the kernel, receive buffer full"
            : "the kernel does not report drops here" + (errors is long count
                ? $", and {Count(count)} UDP errors on the whole host" : "");
        if (backlogDrops is long backlog and > 0)
        {
            drops += $", {Count(backlog)} before the socket (net.core.netdev_max_backlog, whole system)";
        }

        long named = (kernelDrops ?? missing) + (backlogDrops ?? 0);
        bool isOpen = !isCoalesced && missing - named > sent * MinShareToName;
        return isOpen ? drops + $", {Count(missing - named)} unexplained" : drops;
    }

    private static string Count(long count) => count.ToString("#,0", CultureInfo.InvariantCulture);
}
