using Spate.Measurement;
using Spate.Measurement.Serving;

namespace Spate.Cli.Output;

/// <summary>
/// What <c>spate serve</c> shows: on a terminal a table of its threads that is drawn anew each interval, elsewhere a
/// line an interval; at the end the summary and the table of the whole run.
/// </summary>
internal sealed class ServeText(Streams streams) : IDisposable
{
    // Of the live table, in the order in which columns are left out where it is narrow: sessions, forced, switches, the
    // thread's CPU, least, most, share, mean, CPU time. Who handles how much stays.
    private static readonly int[] _leastWanted = [10, 9, 8, 1, 4, 6, 3, 5, 7];

    private readonly LiveTable? _live = streams.OutputIsTerminal ? new LiveTable(streams) : null;
    private bool _hasHeader;

    public void WriteInterval(ServeInterval interval)
    {
        if (_live is not null)
        {
            int threadCount = interval.Threads.Count;
            bool doAllFit = threadCount <= _live.RowsMost;
            int rowCount = doAllFit ? threadCount : _live.RowsMost - 1;
            string footer = doAllFit ? "" : $"... and {threadCount - rowCount} more threads, less busy";
            _live.Show(Headline(interval), TableOf(interval, rowCount), _leastWanted, footer);
            return;
        }

        if (!_hasHeader)
        {
            streams.Output.WriteLine($"{"seconds",13} {"datagrams/s",13} {"payload",15} {"CPU",7} {"per call",9} "
                + $"{"threads",7} {"drops",9}");
            _hasHeader = true;
        }

        IntervalReport total = interval.Total;
        string seconds = $"{total.StartSeconds:0.0}-{total.StartSeconds + total.Seconds:0.0}";
        streams.Output.WriteLine($"{seconds,13} {Units.PerSecond(total.DatagramsPerSecond),13} "
            + $"{Units.BitsPerSecond(total.BitsPerSecond),15} {total.CpuPercent,5:0} % {PerCall(interval),9:0.0} "
            + $"{interval.BusyThreadCount,7} {Text(interval.KernelDrops),9}");
    }

    public void WriteSummary(ServeReport report)
    {
        _live?.Dispose();
        ServeSummary.Write(report, streams);
    }

    public void Dispose() => _live?.Dispose();

    private static string Headline(ServeInterval interval)
    {
        IntervalReport total = interval.Total;
        string lost = total.Lost is { } count ? $", lost {Units.Count(count)}" : "";
        return $"{total.StartSeconds + total.Seconds:0.#} s: {Units.PerSecond(total.DatagramsPerSecond)}/s, "
            + $"{Units.BitsPerSecond(total.BitsPerSecond)}, CPU {total.CpuPercent:0} %, "
            + $"kernel drops {Text(interval.KernelDrops)}{lost}; Ctrl-C ends";
    }

    private static Table TableOf(ServeInterval interval, int rowCount)
    {
        var table = new Table(
            new("thread"), new("CPU\nno.", true), new("datagrams\n/s", true), new("share\n%", true),
            new("least\n/call", true), new("mean\n/call", true), new("most\n/call", true), new("CPU\n%", true),
            new("switches\n/s", true), new("forced\n/s", true), new("sessions", true));
        double seconds = interval.Total.Seconds;
        foreach (ServeThreadInterval thread in Shown(interval.Threads, rowCount))
        {
            bool handles = thread.ShardIndex >= 0;
            table.Add(
                NameOf(thread.ShardIndex),
                Text(thread.CpuIndex),
                Units.PerSecond(Statistics.Ratio(thread.Datagrams, seconds)),
                handles ? $"{100 * Statistics.Ratio(thread.Datagrams, interval.Total.Datagrams):0.0}" : "",
                Text(thread.LeastPerCall),
                $"{Statistics.Ratio(thread.Datagrams, thread.Calls):0.0}",
                Text(thread.MostPerCall),
                Rate(100 * thread.Usage.CpuNanoseconds / 1e9, seconds),
                Rate(thread.Usage.VoluntarySwitches, seconds),
                Rate(thread.Usage.InvoluntarySwitches, seconds),
                Text(thread.Sessions));
        }

        return table;
    }

    /// <summary>The busiest where not all fit, in the order of threads.</summary>
    private static IEnumerable<ServeThreadInterval> Shown(IReadOnlyList<ServeThreadInterval> threads, int rowCount) =>
        threads.OrderByDescending(static thread => thread.Datagrams)
            .Take(rowCount)
            .OrderBy(static thread => thread.ShardIndex);

    internal static string NameOf(int shardIndex) => shardIndex < 0 ? "receiver" : $"{shardIndex}";

    internal static string Text(long? count) => count is { } known ? Units.Count(known) : "-";

    private static double PerCall(ServeInterval interval)
    {
        long calls = interval.Threads.Sum(static thread => thread.ShardIndex >= 0 ? thread.Calls : 0);
        return Statistics.Ratio(interval.Total.Datagrams, calls);
    }

    private static string Rate(double? amount, double seconds) =>
        amount is { } known ? $"{Statistics.Ratio(known, seconds):0}" : "-";
}
