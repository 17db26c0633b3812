using System.Runtime.InteropServices;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Tune.Trials;

/// <summary>What one measurement gave, of all directions together.</summary>
/// <param name="MissingPercent">Of what was offered: lost, refused by the sender's system, or given up as late.</param>
/// <param name="DatagramsPerSecond">Different datagrams that arrived in a second.</param>
/// <param name="CpuNanoseconds">CPU time of both ends' threads for a datagram; null where it is not known.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct TrialSample(double MissingPercent, double DatagramsPerSecond, double? CpuNanoseconds)
{
    public static TrialSample Of(TestReport report)
    {
        double offered = report.Directions.Sum(static one => (double)one.Offered);
        double unique = report.Directions.Sum(static one => (double)one.Unique);
        return new TrialSample(
            100 * Statistics.Ratio(Math.Max(0, offered - unique), offered),
            report.Directions.Sum(static one => one.DatagramsPerSecond),
            CpuOf(report));
    }

    private static double? CpuOf(TestReport report)
    {
        TrafficReport?[] ends =
            [report.Local.Sent, report.Remote.Received, report.Remote.Sent, report.Local.Received];
        double?[] costs = [.. ends.OfType<TrafficReport>().Select(static end => EndCpu.Of(end).NanosecondsPerDatagram)];
        return costs.Length > 0 && !costs.Contains(null) ? costs.Sum() / report.Directions.Length : null;
    }
}
