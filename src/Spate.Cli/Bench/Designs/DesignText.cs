using System.Globalization;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Bench.Designs;

/// <summary>The tables, charts and answers of <c>spate bench designs</c>, for every amount of work.</summary>
internal static class DesignText
{
    private static readonly Table<DesignRow> Table = new(
        new("design", Align.Left, 0, static row => row.Design),
        new("datagrams/s", Align.Right, 0, static row => Units.PerSecond(row.DatagramsPerSecond)),
        new("processed %", Align.Right, 1, static row => Units.Number(row.ProcessedPercent, "0.0")),
        new("CPU ns", Align.Right, 0, static row => Units.Number(row.NanosecondsPerDatagram, "0")),
        new("spread %", Align.Right, 2, static row => BenchText.Spread(row.SpreadPercent, row.Samples)),
        new("generator ns", Align.Right, 6, static row => Units.Number(row.GeneratorNanosecondsPerDatagram, "0")),
        new("per call", Align.Right, 3, static row => PerCall(row.Threads)),
        new("switches/s", Align.Right, 4, Switches),
        new("interrupts/s", Align.Right, 7, static row => Units.Number(row.InterruptsPerSecond, "#,0")),
        new("B/datagram", Align.Right, 8, static row => Units.Number(row.AllocatedBytesPerDatagram, "0.000")),
        new("locked", Align.Right, 9, static row =>
            row.LockedBytes is long locked ? Units.Bytes(locked) : Units.NotKnown),
        new("non-paged pool", Align.Right, 10, static row =>
            row.NonPagedPoolBytes is long pool ? Units.Bytes(pool) : Units.NotKnown, HidesIfEmpty: true),
        new("shares of threads %", Align.Wrapped, 5, static row => Shares(row.Threads)));

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
            writer.Table(Table, rows);
            writer.Line();
            writer.Line("the threads in the median round; user and system time in steps of 10 ms");
            writer.Table(Threads, rows.SelectMany(static row => row.Threads.Select(thread => (row, thread))));
            writer.Line();
            writer.Line("CPU ns of the server per datagram: less is better");
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
            : "where the system puts them";
        return $"{report.SizeBytes} bytes, {report.Flows} flows, one generator thread {generator}, server threads "
            + $"{server}; receive buffer {Units.Bytes(report.BufferGrantedBytes)} granted of "
            + $"{Units.Bytes(report.BufferAskedBytes)}; medians of {BenchText.Rounds(report.Rounds)} of "
            + $"{Units.Count(report.DatagramsPerRound)} datagrams; {report.Seconds:0} s in all";
    }

    private static string Heading((int Threads, int Work) key, DesignsReport report)
    {
        string work = key.Work == 0
            ? "no work per datagram"
            : $"{key.Work} rounds of work per datagram, {key.Work * report.NanosecondsPerWorkRound:0} ns";
        return $"{key.Threads} {(key.Threads == 1 ? "thread" : "threads")}, {work}";
    }

    /// <summary>Datagrams per call of the threads that ran handlers: least, mean and most.</summary>
    private static string PerCall(DesignThreadRow[] threads)
    {
        DesignThreadRow[] busy = [.. threads.Where(static thread => !thread.IsReceiver && thread.Calls > 0)];
        if (busy.Length == 0) return Units.NotKnown;

        double mean = Statistics.Ratio(busy.Sum(static t => t.Datagrams), busy.Sum(static t => t.Calls));
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{busy.Min(static t => t.LeastPerCall)}/{mean:0.#}/{busy.Max(static t => t.MostPerCall)}");
    }

    /// <summary>Context switches per second of all server threads: voluntary, then forced.</summary>
    private static string Switches(DesignRow row)
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
    private static string Shares(DesignThreadRow[] threads)
    {
        long[] counts = [.. threads.Where(static thread => !thread.IsReceiver).Select(static thread => thread.Datagrams)
            .OrderDescending()];
        double all = Math.Max(1, counts.Sum());
        int worked = counts.Count(static count => count > 0);
        IEnumerable<string> shares = counts.Where(static count => count > 0)
            .Select(count => (100 * count / all).ToString("0", CultureInfo.InvariantCulture));
        return $"{worked} of {counts.Length}: {string.Join(' ', shares)}";
    }

    private static string Milliseconds(long? nanoseconds) => Units.Number(nanoseconds / 1e6, "0");

    private static Bar BarOf(DesignRow row) =>
        new(row.Design, row.NanosecondsPerDatagram!.Value, $"{row.NanosecondsPerDatagram:0} ns");
}
