using Spate.Cli.Host;
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
internal sealed class ServeText(TerminalWriter writer, bool showsAllCores = false) : IDisposable
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
        ServeSummary.Write(report, showsAllCores, writer);
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
