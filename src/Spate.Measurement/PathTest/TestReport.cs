using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>The report of a test between two ends, kind <c>test</c>, as its client makes it.</summary>
internal sealed record TestReport : Report
{
    public const string KindName = "test";

    public static ReportKind ReadableKind { get; } = new(KindName, static () => TestJson.Default.TestReport);

    public string Label { get; set; } = "";

    /// <summary>The addresses of the server's ends of the flows, each one once.</summary>
    public string[] Servers { get; set; } = [];

    /// <summary>Sockets, each with a stream in every direction that was asked for.</summary>
    public int Flows { get; set; }

    public int SizeBytes { get; set; }

    public long Datagrams => SumOf(static one => one.Datagrams);

    public long Unique => SumOf(static one => one.Unique);

    public long Lost => SumOf(static one => one.Lost);

    public long Refused => SumOf(static one => one.Refused);

    /// <summary>Given up by the senders' pacing; not among the lost.</summary>
    public long Skipped => SumOf(static one => one.Skipped);

    /// <summary>In percent of <see cref="Datagrams"/> and <see cref="Refused"/>; 0 where none was sent.</summary>
    public double LostPercent => 100 * Statistics.Ratio(Lost, Saturating.Add(Datagrams, Refused));

    public long Unexplained => SumOf(static one => one.Unexplained);

    public TestDirectionReport[] Directions { get; set; } = [];

    public RoundTripReport RoundTrip { get; set; } = new();

    [JsonPropertyOrder(1)]
    public TestEndReport Local { get; set; } = new();

    [JsonPropertyOrder(2)]
    public TestEndReport Remote { get; set; } = new();

    internal override IReadOnlyList<ComparedFigure>? Figures => [.. Directions.SelectMany(FiguresOf)];

    internal override IEnumerable<ReportSetting> ComparedSettings =>
    [
        ReportSetting.Of("sizeBytes", SizeBytes) with { MustBeAlike = true },
        ReportSetting.Of("directions", Directions.Select(static one => one.From)) with { MustBeAlike = true },
        ReportSetting.Of("flows", Flows),
        ReportSetting.Of("servers", Servers),
        .. SettingsOf("local", Local),
        .. SettingsOf("remote", Remote),
    ];

    // Both ends of a direction know the receiver's figures, but only the direction knows all that was lost.
    internal override CapacityReading? ReadCapacity(int sizeBytes)
    {
        bool isRemote = Remote.Received is not null;
        if ((Remote.Received ?? Local.Received) is not { } received)
        {
            return CapacityReading.Refused("it has no receiving end: run the test again");
        }

        string from = isRemote ? TestDirectionReport.ClientName : TestDirectionReport.ServerName;
        double? lost = Array.Find(Directions, one => one.From.Equals(from, StringComparison.Ordinal))?.LostPercent;
        return new EndCapacity($"test, received by the {(isRemote ? "server" : "client")}", received)
        {
            LostPercent = lost ?? received.LostPercent,
            IsAlone = (isRemote ? Remote : Local).Sent is null,
        }.Read();
    }

    private static IEnumerable<ReportSetting> SettingsOf(string end, TestEndReport report) =>
    [
        .. SettingsOf($"{end}.sent", report.Sent),
        .. SettingsOf($"{end}.received", report.Received),
        ReportSetting.Of($"{end}.host.backlogLimit", report.Host?.BacklogLimit),
        ReportSetting.Of($"{end}.stoppedUnheard", report.StoppedUnheard),
    ];

    private static IEnumerable<ReportSetting> SettingsOf(string prefix, TrafficReport? traffic) =>
        traffic?.MachineSettings.Select(one => one with { Name = $"{prefix}.{one.Name}" }) ?? [];

    private IEnumerable<ComparedFigure> FiguresOf(TestDirectionReport direction)
    {
        bool isForward = direction.From is TestDirectionReport.ClientName;
        string row = isForward ? "client to server" : "server to client";
        yield return ComparedFigure.Gain(row, ComparedFigure.Rate, direction.DatagramsPerSecond);
        yield return ComparedFigure.Cost(row, ComparedFigure.Lost, direction.LostPercent);
        TrafficReport? sent = (isForward ? Local : Remote).Sent;
        TrafficReport? received = (isForward ? Remote : Local).Received;
        if (sent is { Datagrams: > 0 }) yield return sent.CpuFigure($"{row}, sender");
        if (received is { Datagrams: > 0 }) yield return received.CpuFigure($"{row}, receiver");
    }

    // The other end may be a stranger, whose numbers are as large as it likes.
    private long SumOf(Func<TestDirectionReport, long> select) =>
        Directions.Aggregate(0L, (sum, direction) => Saturating.Add(sum, select(direction)));

    internal override JsonTypeInfo JsonType => TestJson.Default.TestReport;
}

/// <summary>Round trips of heartbeats while data was on its way, without their time at the other end.</summary>
internal sealed record RoundTripReport
{
    /// <summary>How many round trips were measured; the other figures are 0 where there were none.</summary>
    public int Samples { get; set; }

    public double MinMicroseconds { get; set; }

    public double MedianMicroseconds { get; set; }

    public double P99Microseconds { get; set; }

    public double MaxMicroseconds { get; set; }

    internal static RoundTripReport From(IReadOnlyCollection<long> nanoseconds)
    {
        if (nanoseconds.Count == 0) return new RoundTripReport();

        double[] sorted = [.. nanoseconds.Order().Select(static one => one / 1000.0)];
        return new RoundTripReport
        {
            Samples = sorted.Length,
            MinMicroseconds = sorted[0],
            MedianMicroseconds = Statistics.Median(sorted),
            P99Microseconds = sorted[(int)Math.Ceiling(0.99 * sorted.Length) - 1],
            MaxMicroseconds = sorted[^1],
        };
    }
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(TestReport))]
internal sealed partial class TestJson : JsonSerializerContext;
