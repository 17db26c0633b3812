using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>The report of a test between two ends, kind <c>test</c>, as its client makes it.</summary>
internal sealed record TestReport : Report
{
    /// <summary>The kind of this report.</summary>
    public const string KindName = "test";

    /// <summary>The kind, for a reader of such reports.</summary>
    public static ReportKind ReadableKind { get; } = new(KindName, static () => TestJson.Default.TestReport);

    /// <summary>The name that the client gave the test; empty for none.</summary>
    public string Label { get; set; } = "";

    /// <summary>The addresses of the server's ends of the flows, each one once.</summary>
    public string[] Servers { get; set; } = [];

    /// <summary>Sockets, each with a stream in every direction that was asked for.</summary>
    public int Flows { get; set; }

    /// <summary>Payload bytes of a datagram.</summary>
    public int SizeBytes { get; set; }

    /// <summary>Datagrams that the senders' systems took, of all <see cref="Directions"/>.</summary>
    public long Datagrams => SumOf(static one => one.Datagrams);

    /// <summary>Different datagrams that arrived, of all <see cref="Directions"/>.</summary>
    public long Unique => SumOf(static one => one.Unique);

    /// <summary>Datagrams that were lost, of all <see cref="Directions"/>.</summary>
    public long Lost => SumOf(static one => one.Lost);

    /// <summary>Datagrams that the senders' systems refused, of all <see cref="Directions"/>; they are lost.</summary>
    public long Refused => SumOf(static one => one.Refused);

    /// <summary>
    /// Datagrams that the senders' pacing gave up, of all <see cref="Directions"/>; they are not lost.
    /// </summary>
    public long Skipped => SumOf(static one => one.Skipped);

    /// <summary>
    /// <see cref="Lost"/> in percent of <see cref="Datagrams"/> and <see cref="Refused"/>; 0 where none was sent.
    /// </summary>
    public double LostPercent => 100 * Statistics.Ratio(Lost, Saturating.Add(Datagrams, Refused));

    /// <summary>Missing datagrams that no counter puts anywhere, of all <see cref="Directions"/>.</summary>
    public long Unexplained => SumOf(static one => one.Unexplained);

    /// <summary>What became of the datagrams: one entry for each direction.</summary>
    public TestDirectionReport[] Directions { get; set; } = [];

    /// <summary>Round-trip times of the heartbeats.</summary>
    public RoundTripReport RoundTrip { get; set; } = new();

    /// <summary>The client's end.</summary>
    [JsonPropertyOrder(1)]
    public TestEndReport Local { get; set; } = new();

    /// <summary>The server's end.</summary>
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
            return CapacityReading.Refused("it has no end that received: run the test again");
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

/// <summary>
/// How long heartbeats of a test took to the other end and back, without the time that they lay there, while data was
/// on its way. The clock of one end alone is used.
/// </summary>
internal sealed record RoundTripReport
{
    /// <summary>How many round trips were measured; the other figures are 0 where there were none.</summary>
    public int Samples { get; set; }

    /// <summary>The shortest, in microseconds.</summary>
    public double MinMicroseconds { get; set; }

    /// <summary>The median, in microseconds.</summary>
    public double MedianMicroseconds { get; set; }

    /// <summary>What 99 of 100 did not exceed, in microseconds.</summary>
    public double P99Microseconds { get; set; }

    /// <summary>The longest, in microseconds.</summary>
    public double MaxMicroseconds { get; set; }

    /// <summary>Sums up round trips in nanoseconds.</summary>
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

/// <summary>The JSON of the reports.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(TestReport))]
internal sealed partial class TestJson : JsonSerializerContext;
