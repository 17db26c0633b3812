using Spate.Measurement;
using Spate.Measurement.Serving;

namespace Spate.Cli.Output;

/// <summary>
/// What <c>spate serve</c> shows: on a terminal a table of its threads that is drawn anew each interval, elsewhere a
/// line an interval; at the end the summary and the table of the whole run.
/// </summary>
internal sealed class ServeText(Streams streams) : IDisposable
{
    private readonly LiveTable? _live = streams.OutputIsTerminal ? new LiveTable(streams.Output) : null;
    private bool _hasHeader;

    public void WriteInterval(ServeInterval interval)
    {
        if (_live is not null)
        {
            _live.Show(Headline(interval), TableOf(interval));
            return;
        }

        if (!_hasHeader)
        {
            streams.Output.WriteLine($"{"seconds",15} {"datagrams/s",13} {"payload",15} {"CPU",7} {"per call",9} "
                + $"{"threads",8} {"drops",9}");
            _hasHeader = true;
        }

        IntervalReport total = interval.Total;
        string seconds = $"{total.StartSeconds:0.0}-{total.StartSeconds + total.Seconds:0.0}";
        streams.Output.WriteLine($"{seconds,15} {Units.PerSecond(total.DatagramsPerSecond),13} "
            + $"{Units.BitsPerSecond(total.BitsPerSecond),15} {total.CpuPercent,5:0} % {PerCall(interval),9:0.0} "
            + $"{interval.BusyThreadCount,8} {Text(interval.KernelDrops),9}");
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

    private static Table TableOf(ServeInterval interval)
    {
        var table = new Table(
            new("thread"), new("CPU", true), new("datagrams/s", true), new("share %", true), new("least", true),
            new("mean", true), new("most", true), new("CPU %", true), new("switches/s", true), new("forced/s", true),
            new("sessions", true));
        double seconds = interval.Total.Seconds;
        foreach (ServeThreadInterval thread in Shown(interval.Threads))
        {
            bool handles = thread.ShardIndex >= 0;
            table.Add(
                NameOf(thread.ShardIndex),
                Text(thread.CpuIndex),
                Units.PerSecond(Statistics.Ratio(thread.Datagrams, seconds)),
                handles ? $"{100 * Statistics.Ratio(thread.Datagrams, interval.Total.Datagrams):0.0}" : "",
                Units.Count(thread.LeastPerCall),
                $"{Statistics.Ratio(thread.Datagrams, thread.Calls):0.0}",
                Units.Count(thread.MostPerCall),
                Rate(100 * thread.Usage.CpuNanoseconds / 1e9, seconds),
                Rate(thread.Usage.VoluntarySwitches, seconds),
                Rate(thread.Usage.InvoluntarySwitches, seconds),
                Text(thread.Sessions));
        }

        return table;
    }

    /// <summary>The busiest where not all fit, in the order of threads.</summary>
    private static IEnumerable<ServeThreadInterval> Shown(IReadOnlyList<ServeThreadInterval> threads) =>
        threads.Count <= LiveTable.RowsMost
            ? threads
            : threads.OrderByDescending(static thread => thread.Datagrams)
                .Take(LiveTable.RowsMost)
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
