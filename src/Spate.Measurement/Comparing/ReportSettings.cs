using System.Globalization;
using Spate.Measurement.Bench.Designs;
using Spate.Measurement.Bench.PingPong;
using Spate.Measurement.Bench.Relay;
using Spate.Measurement.Reports;
using Spate.Measurement.Serving;
using Spate.Measurement.Testing;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.Comparing;

/// <summary>Where and how the figures of a report were taken.</summary>
/// <param name="Name">The name of the setting, as in the JSON.</param>
/// <param name="Value">Its value as text.</param>
/// <param name="MustBeAlike">
/// Whether figures of different values are of different things: the machine, and the size of datagrams.
/// </param>
internal sealed record ReportSetting(string Name, string Value, bool MustBeAlike = false);

/// <summary>Reads the settings of a report.</summary>
internal static class ReportSettings
{
    private const string NotKnown = "-";

    /// <summary>The settings of a report, in a fixed order.</summary>
    public static IEnumerable<ReportSetting> Of(Report report) => report switch
    {
        TestReport test => OfTest(test),
        MeasurementReport measurement => OfMachine("", measurement).Concat(OfRun(measurement)),
        _ => [],
    };

    private static IEnumerable<ReportSetting> OfMachine(string prefix, MeasurementReport report)
    {
        yield return new ReportSetting(prefix + "kernel", report.Kernel, MustBeAlike: true);
        yield return new ReportSetting(prefix + "cpuModel", report.CpuModel ?? NotKnown, MustBeAlike: true);
        yield return new ReportSetting(prefix + "cpus", Text(report.Cpus), MustBeAlike: true);
        yield return new ReportSetting(prefix + "runtime", report.Runtime);
        yield return new ReportSetting(prefix + "backend", report.Backend ?? NotKnown);
        yield return new ReportSetting(prefix + "offloads", List(report.Offloads));
        yield return new ReportSetting(prefix + "bufferGrantedBytes", Text(report.BufferGrantedBytes));
    }

    private static IEnumerable<ReportSetting> OfRun(MeasurementReport report)
    {
        yield return new ReportSetting("flows", Text(report.Flows));
        if (SizeOf(report) is { } sizeBytes) yield return new ReportSetting("sizeBytes", sizeBytes, MustBeAlike: true);
        if (report is EndReport end) yield return new ReportSetting("rateAsked", Text(end.RateAskedDatagramsPerSecond));
        if (report is ServeReport server)
        {
            yield return new ReportSetting("app", server.App);
            yield return new ReportSetting("design", server.Design);
        }
    }

    private static IEnumerable<ReportSetting> OfTest(TestReport test)
    {
        yield return new ReportSetting("sizeBytes", Text(test.SizeBytes), MustBeAlike: true);
        yield return new ReportSetting("flows", Text(test.Flows));
        yield return new ReportSetting("directions", List(test.Directions.Select(static one => one.From)));
        foreach ((string end, TestEndReport report) in ((string, TestEndReport)[])
            [("local", test.Local), ("remote", test.Remote)])
        {
            foreach ((string way, TrafficReport? traffic) in ((string, TrafficReport?)[])
                [("sent", report.Sent), ("received", report.Received)])
            {
                if (traffic is null) continue;

                foreach (ReportSetting setting in OfMachine($"{end}.{way}.", traffic)) yield return setting;
                yield return new ReportSetting(
                    $"{end}.{way}.rateAsked", Text(traffic.RateAskedDatagramsPerSecond));
            }
        }
    }

    // The other benches name the size with each row.
    private static string? SizeOf(MeasurementReport report) => report switch
    {
        EndReport end => Text(end.SizeBytes),
        PingPongReport pings => Text(pings.SizeBytes),
        RelayReport relay => Text(relay.SizeBytes),
        DesignsReport designs => Text(designs.SizeBytes),
        _ => null,
    };

    private static string List(IEnumerable<string> words) =>
        string.Join(',', words) is { Length: > 0 } list ? list : NotKnown;

    private static string Text(IFormattable? number) =>
        number?.ToString(format: null, CultureInfo.InvariantCulture) ?? NotKnown;
}
