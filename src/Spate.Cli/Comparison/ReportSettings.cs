using System.Globalization;
using Spate.Cli.Bench.Designs;
using Spate.Cli.Bench.PingPong;
using Spate.Cli.Bench.Relay;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Serve;
using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.HostUse;
using Spate.Measurement.PathTest;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Comparison;

/// <summary>Where and how the figures of a report were taken.</summary>
/// <param name="Name">The name of the setting, as in the JSON.</param>
/// <param name="Value">Its value as text.</param>
/// <param name="MustBeAlike">
/// Whether figures of different values are of different things: the machine, the size of datagrams, and who sends.
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

    /// <summary>The settings that are not the same in all reports of both sides.</summary>
    /// <param name="a">The reports of the first side.</param>
    /// <param name="b">The reports of the second side.</param>
    /// <param name="forbidding">The first of them that must be alike; null where there is none.</param>
    public static IReadOnlyList<CompareDifference> Differences(
        IReadOnlyList<Report> a, IReadOnlyList<Report> b, out CompareDifference? forbidding)
    {
        var differences = new List<CompareDifference>();
        forbidding = null;
        ReportSetting[] ofA = [.. a.SelectMany(Of)];
        ReportSetting[] ofB = [.. b.SelectMany(Of)];
        ILookup<string, ReportSetting> all = ofA.Concat(ofB).ToLookup(static one => one.Name, StringComparer.Ordinal);
        foreach (IGrouping<string, ReportSetting> alike in all)
        {
            string[] valuesOfA = ValuesOf(alike.Key, ofA);
            string[] valuesOfB = ValuesOf(alike.Key, ofB);
            if (valuesOfA.Union(valuesOfB, StringComparer.Ordinal).Count() == 1) continue;

            var difference = new CompareDifference(
                alike.Key, string.Join(" or ", valuesOfA), string.Join(" or ", valuesOfB));
            differences.Add(difference);
            if (alike.First().MustBeAlike) forbidding ??= difference;
        }

        return differences;
    }

    private static string[] ValuesOf(string name, IEnumerable<ReportSetting> side) =>
    [
        .. side.Where(setting => string.Equals(setting.Name, name, StringComparison.Ordinal))
            .Select(static setting => setting.Value)
            .DefaultIfEmpty("not there")
            .Distinct(StringComparer.Ordinal),
    ];

    private static IEnumerable<ReportSetting> OfMachine(string prefix, MeasurementReport report)
    {
        yield return new ReportSetting(prefix + "kernel", report.Kernel, MustBeAlike: true);
        yield return new ReportSetting(prefix + "cpuModel", report.CpuModel ?? NotKnown, MustBeAlike: true);
        yield return new ReportSetting(prefix + "cpus", Text(report.Cpus), MustBeAlike: true);
        yield return new ReportSetting(prefix + "runtime", report.Runtime);
        yield return new ReportSetting(prefix + "backend", report.Backend ?? NotKnown);
        yield return new ReportSetting(prefix + "offloads", List(report.Offloads));
        yield return new ReportSetting(prefix + "bufferGrantedBytes", Text(report.BufferGrantedBytes));
        yield return new ReportSetting(prefix + "demotions", Text(report.GsoFallbacks));
        yield return new ReportSetting(prefix + "links", List(report.Links.Select(LinkOf)));
        yield return new ReportSetting(prefix + "threads", ThreadsOf(report));
        if (report is EndReport end)
        {
            yield return new ReportSetting(prefix + "rateAsked", Text(end.RateAskedDatagramsPerSecond));
            yield return new ReportSetting(prefix + "verifies", end.Corrupted is null ? "no" : "yes");
        }

        if (report is TrafficReport { Pacing: { } pacing })
        {
            yield return new ReportSetting(prefix + "pacing", pacing.Mode);
            yield return new ReportSetting(prefix + "maxBurstMicroseconds", Text(pacing.MaxBurstMicroseconds));
        }
    }

    private static IEnumerable<ReportSetting> OfRun(MeasurementReport report)
    {
        yield return new ReportSetting("flows", Text(report.Flows));
        if (SizeOf(report) is { } sizeBytes) yield return new ReportSetting("sizeBytes", sizeBytes, MustBeAlike: true);
        if (report is RelayReport relay)
        {
            yield return new ReportSetting("rateAsked", Text(relay.AskedDatagramsPerSecond));
        }

        if (report is RoundsReport rounds)
        {
            yield return new ReportSetting("rounds", Text(rounds.Rounds));
            yield return new ReportSetting("interrupted", rounds.Interrupted ? "yes" : "no");
        }

        if (report is ServeReport server)
        {
            yield return new ReportSetting("app", server.App);
            yield return new ReportSetting("design", server.Design);
            yield return new ReportSetting("keepsPeers", server.KeepsPeers ? "yes" : "no");
            yield return new ReportSetting("workRounds", Text(server.WorkRounds));
            yield return new ReportSetting("answersPerPeer", Text(server.AnswersPerPeer));
        }
    }

    private static IEnumerable<ReportSetting> OfTest(TestReport test)
    {
        yield return new ReportSetting("sizeBytes", Text(test.SizeBytes), MustBeAlike: true);
        yield return new ReportSetting(
            "directions", List(test.Directions.Select(static one => one.From)), MustBeAlike: true);
        yield return new ReportSetting("flows", Text(test.Flows));
        yield return new ReportSetting("servers", List(test.Servers));
        foreach ((string end, TestEndReport report) in ((string, TestEndReport)[])
            [("local", test.Local), ("remote", test.Remote)])
        {
            foreach ((string way, TrafficReport? traffic) in ((string, TrafficReport?)[])
                [("sent", report.Sent), ("received", report.Received)])
            {
                if (traffic is null) continue;

                foreach (ReportSetting setting in OfMachine($"{end}.{way}.", traffic)) yield return setting;
            }

            yield return new ReportSetting($"{end}.host.backlogLimit", Text(report.Host?.BacklogLimit));
            yield return new ReportSetting($"{end}.stoppedUnheard", report.StoppedUnheard ? "yes" : "no");
        }
    }

    // For example "1 receive@3": what the threads do, how many there are, and the CPUs to which they are bound.
    private static string ThreadsOf(MeasurementReport report)
    {
        IEnumerable<ThreadReport> threads = report switch
        {
            TrafficReport traffic => traffic.Threads,
            ServeReport server => server.Threads,
            RoundsReport rounds => rounds.Threads,
            _ => [],
        };
        return List(threads.GroupBy(static one => one.Role, StringComparer.Ordinal).Select(
            static role =>
            {
                int[] cpus = [.. role.Select(static one => one.Cpu).OfType<int>()];
                int count = role.Count();
                string at = cpus.Length == 0 ? "any" : CpuList.Format(cpus) + (cpus.Length < count ? "+any" : "");
                return $"{Text(count)} {role.Key}@{at}";
            }));
    }

    private static string LinkOf(LinkReport link) =>
        $"{link.Interface} mtu {Text(link.MtuBytes)} speed {Text(link.SpeedBitsPerSecond)} "
        + $"queues {Text(link.ReceiveQueues)}";

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
        string.Join(", ", words) is { Length: > 0 } list ? list : NotKnown;

    private static string Text(IFormattable? number) =>
        number?.ToString(format: null, CultureInfo.InvariantCulture) ?? NotKnown;
}
