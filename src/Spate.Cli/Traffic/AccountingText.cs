using System.Globalization;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Traffic;

/// <summary>
/// The lines about test datagrams that <c>receive</c> and <c>serve</c> show where there is something to tell.
/// </summary>
internal static class AccountingText
{
    public static void Write(EndReport report, TerminalWriter writer)
    {
        if (report.LossBursts is { Count: > 0 } bursts)
        {
            writer.Line($"loss bursts: {Units.Count(bursts.Count)}, mean {Mean(bursts)}, "
                + $"longest {Units.Count(bursts.Max)} datagrams");
        }

        if (report.ReorderExtent is { Count: > 0 } extent)
        {
            writer.Line($"reordered by {Mean(extent)} datagrams in the mean, by {Units.Count(extent.Max)} at most");
        }

        if (report.AfterDeadline > 0) writer.Line($"after the deadline: {Units.Count(report.AfterDeadline)}");

        if (report.Corrupted > 0)
        {
            writer.Line($"corrupted: {Units.Count(report.Corrupted)}, with a wrong checksum or without one "
                + "(spate send --verify adds it)");
        }

        if (report.UnknownDatagrams > 0)
        {
            writer.Line("neither data nor announcements, but of the test protocol (control that came late or twice, a "
                + $"newer version, or damaged): {Units.Count(report.UnknownDatagrams)}");
        }

        if (report.DelayVariation is { MaxMicroseconds: > 0 } delay)
        {
            writer.Line($"delay over the fastest: half {Micro(delay.P50Microseconds)}, 99 % "
                + $"{Micro(delay.P99Microseconds)}, 99.9 % {Micro(delay.P999Microseconds)}, "
                + $"most {Micro(delay.MaxMicroseconds)} us{Drift(delay)}");
        }
    }

    private static string Mean(LengthReport lengths) => Units.Number(lengths.Mean, "#,0.0");

    private static string Micro(double microseconds) => Units.Number(microseconds, "#,0.0");

    private static string Drift(DelayVariation delay) => delay.DriftPartsPerMillion == 0
        ? ""
        : string.Create(
            CultureInfo.InvariantCulture, $"; clocks drift {delay.DriftPartsPerMillion:0.0} ppm, which is removed");
}
