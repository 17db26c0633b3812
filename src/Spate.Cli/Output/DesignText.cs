using System.Globalization;
using Spate.Measurement;
using Spate.Measurement.Bench.Designs;

namespace Spate.Cli.Output;

/// <summary>The tables, charts and answers of <c>spate bench designs</c>, for every amount of work.</summary>
internal static class DesignText
{
    private const string NotKnown = "-";

    public static void Write(DesignsReport report, Streams streams)
    {
        streams.Output.WriteLine(SafeText.Clean(
            $"{report.Kernel}, {report.Runtime}, {report.Cpus} CPUs, "
            + $"resident {report.ResidentPeakBytes >> 20} MiB at most"));
        streams.Output.WriteLine(SafeText.Clean(Method(report)));
        foreach (IGrouping<(int Threads, int Work), DesignRow> rows in report.Rows.GroupBy(
            static row => (row.ThreadCount, row.WorkRounds)))
        {
            streams.Output.WriteLine();
            streams.Output.WriteLine(Heading(rows.Key, report));
            TableOutput.Write(TableOf(rows), streams);
            streams.Output.WriteLine();
            streams.Output.WriteLine("CPU ns of the server per datagram: less is better");
            BarChartOutput.Write(
                [.. rows.Where(static row => row.NanosecondsPerDatagram is not null).Select(BarOf)], streams);
            streams.Output.WriteLine();
            foreach (string answer in DesignAnswers.Of([.. rows]))
            {
                streams.Output.WriteLine(answer);
            }
        }

        if (report.Notes.Length > 0)
        {
            streams.Output.WriteLine();
        }

        foreach (string note in report.Notes)
        {
            streams.Output.WriteLine(SafeText.Clean(note, maximumLength: 500));
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

    private static Table TableOf(IEnumerable<DesignRow> rows)
    {
        var table = new Table(
            new("design"), new("datagrams/s", true), new("processed %", true), new("CPU ns", true),
            new("spread %", true), new("generator ns", true), new("per call", true), new("switches/s", true),
            new("interrupts/s", true), new("B/datagram", true), new("locked", true), new("shares of threads %"));
        foreach (DesignRow row in rows)
        {
            table.Add(
                row.Design,
                Units.PerSecond(row.DatagramsPerSecond),
                row.ProcessedPercent.ToString("0.0", CultureInfo.InvariantCulture),
                Text(row.NanosecondsPerDatagram, "0"),
                BenchText.Spread(row.SpreadPercent, row.Samples),
                Text(row.GeneratorNanosecondsPerDatagram, "0"),
                PerCall(row.Threads),
                Switches(row),
                Text(row.InterruptsPerSecond, "#,0"),
                row.AllocatedBytesPerDatagram.ToString("0.000", CultureInfo.InvariantCulture),
                row.LockedBytes is long locked ? Units.Bytes(locked) : NotKnown,
                Shares(row.Threads));
        }

        return table;
    }

    /// <summary>Least, mean and most over the threads that run handlers and had something.</summary>
    private static string PerCall(DesignThreadRow[] threads)
    {
        DesignThreadRow[] busy = [.. threads.Where(static thread => !thread.IsReceiver && thread.Calls > 0)];
        if (busy.Length == 0)
        {
            return NotKnown;
        }

        double mean = Statistics.Ratio(busy.Sum(static t => t.Datagrams), busy.Sum(static t => t.Calls));
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{busy.Min(static t => t.LeastPerCall)}/{mean:0.#}/{busy.Max(static t => t.MostPerCall)}");
    }

    /// <summary>Given up and taken away, per second, of all threads of the server.</summary>
    private static string Switches(DesignRow row)
    {
        long? given = row.Threads.Aggregate((long?)0, static (sum, thread) => sum + thread.VoluntarySwitches);
        long? taken = row.Threads.Aggregate((long?)0, static (sum, thread) => sum + thread.InvoluntarySwitches);
        double seconds = row.Elapsed.TotalSeconds;
        return given is null || taken is null
            ? NotKnown
            : $"{Units.Count((long)Statistics.Ratio(given.Value, seconds))}+"
                + Units.Count((long)Statistics.Ratio(taken.Value, seconds));
    }

    /// <summary>Whole per cents, the largest first; what stays below half a per cent is 0.</summary>
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

    private static Bar BarOf(DesignRow row) =>
        new(row.Design, row.NanosecondsPerDatagram!.Value, $"{row.NanosecondsPerDatagram:0} ns");

    private static string Text(double? value, string format) =>
        value?.ToString(format, CultureInfo.InvariantCulture) ?? NotKnown;
}
