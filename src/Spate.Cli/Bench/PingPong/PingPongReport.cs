using System.Text.Json.Serialization;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell.Terminal;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Bench.PingPong;

/// <summary>
/// The report of <c>spate bench pingpong</c>: times of round trips, one after the other. There is a row per way of
/// waiting.
/// </summary>
internal sealed record PingPongReport : RoundsReport<PingPongRow>
{
    public const string KindName = "pingpong";

    private static readonly Table<IdleRow> IdleTable = new(
        new("design", Align.Left, 0, static row => row.Design),
        new("threads", Align.Right, 0, static row => $"{row.ThreadCount}"),
        new("CPU %", Align.Right, 0, static row => $"{row.CpuPercent:0.00}"));

    public PingPongReport()
        : base(KindName, PingPongRow.Metrics)
    {
    }

    public int SizeBytes { get; set; }

    public override double Seconds { get; set; }

    /// <summary>What servers use while nothing is sent to them, one per design.</summary>
    [JsonPropertyOrder(2)]
    public IdleRow[] Idle { get; set; } = [];

    /// <summary>Per row and round; the rows say how many there was time for. Not part of the JSON.</summary>
    [JsonIgnore]
    public int PingsAsked { get; set; }

    /// <summary>For each idle server. Not part of the JSON.</summary>
    [JsonIgnore]
    public double IdleSeconds { get; set; }

    internal override IEnumerable<ReportSetting> LoadSettings =>
        [ReportSetting.Of("sizeBytes", SizeBytes) with { MustBeAlike = true }];

    public static void Write(PingPongReport report, TerminalWriter writer)
    {
        BenchText.WriteHead(report, writer);
        writer.Line($"client as sender, server as receiver: {report.Placement}");
        writer.Line($"{report.SizeBytes} bytes; medians of {BenchText.Rounds(report.Rounds)} of up to "
            + $"{Units.Count(report.PingsAsked)} pings; {report.Seconds:0} s in total");
        writer.Line();
        writer.Table(PingPongRow.Metrics.Table, report.Rows);
        if (report.Idle.Length > 0)
        {
            writer.Line();
            writer.Line($"idle servers, {report.IdleSeconds:0.##} s each, in percent of one CPU");
            writer.Table(IdleTable, report.Idle);
        }
    }
}

/// <summary>Round trips of one way of waiting. Each figure is the median of the rounds' figures.</summary>
internal sealed record PingPongRow : RoundsRow
{
    /// <summary>How both ends wait, for instance <c>spinning</c>.</summary>
    public required string Mode { get; set; }

    public required double P50Microseconds { get; set; }

    public required double P99Microseconds { get; set; }

    public required double P999Microseconds { get; set; }

    public double SpreadPercent { get; set; }

    /// <summary>CPU time of both ends together, in percent of one CPU: 200 are two busy CPUs.</summary>
    public double CpuPercent { get; set; }

    /// <summary>The server's part of the CPU time; null where both ends share pool threads.</summary>
    public double? ServerCpuPercent { get; set; }

    /// <summary>Round trips counted in all rounds.</summary>
    public long Pings { get; set; }

    /// <summary>Pings without an answer in all rounds.</summary>
    public long Lost { get; set; }

    internal static Metrics<PingPongRow> Metrics { get; } = new Metrics<PingPongRow>(static row => row.Mode)
        .Text("mode", static row => row.Mode)
        .Cost("p50 us", "0.0", 0, static row => row.P50Microseconds, isMain: true)
        .Cost("p99 us", "0.0", 1, static row => row.P99Microseconds)
        .Plain("p99.9 us", "0.0", 2, static row => row.P999Microseconds)
        .Spread(6, static row => row.SpreadPercent)
        .Cost("CPU %", "0", 4, static row => row.CpuPercent, noMeasure: static row =>
            PingTarget.All.Any(one => one.Spins && one.Mode.Equals(row.Mode, StringComparison.Ordinal))
                ? EndCpu.Spinning
                : null)
        .Plain("server %", "0", 5, static row => row.ServerCpuPercent)
        .Plain("lost", MetricFormat.Count, 3, static row => row.Lost);

    /// <summary>The medians of a row's rounds, of which there is at least one.</summary>
    internal static PingPongRow Of(string mode, IReadOnlyList<PingRoundMeasurement> rounds)
    {
        double[] middles = [.. rounds.Select(static round => round.P50Microseconds)];
        return new PingPongRow
        {
            Mode = mode,
            P50Microseconds = Statistics.Median(middles),
            P99Microseconds = rounds.Median(static round => round.P99Microseconds),
            P999Microseconds = rounds.Median(static round => round.P999Microseconds),
            SpreadPercent = Statistics.SpreadPercent(middles),
            CpuPercent = rounds.Median(static round => round.CpuPercent),
            ServerCpuPercent = rounds.MedianOfKnown(static round => round.ServerCpuPercent),
            Pings = rounds.Sum(static round => round.Pings),
            Lost = rounds.Sum(static round => round.Lost),
            Samples = middles,
        };
    }
}

/// <summary>The figures of one mode in one round.</summary>
internal sealed record PingRoundMeasurement(
    double P50Microseconds,
    double P99Microseconds,
    double P999Microseconds,
    double CpuPercent,
    double? ServerCpuPercent,
    long Pings,
    long Lost);
