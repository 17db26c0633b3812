using System.Text.Json.Serialization;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Bench.Sessions;

/// <summary>
/// The report of <c>spate bench sessions</c>: the cost per datagram of finding a peer's session. There is a row per
/// size, number of peers and pattern.
/// </summary>
internal sealed record SessionsReport : RoundsReport<SessionsRow>
{
    public const string KindName = "sessions";

    public SessionsReport()
        : base(KindName, SessionsRow.Metrics)
    {
    }

    /// <summary>Those of the largest table. If interrupted before, all figures of ageing are 0.</summary>
    [JsonPropertyOrder(2)]
    public int AgingPeers { get; set; }

    /// <summary>The longest pass, each with its shortest repeat: interruptions do not count as ageing.</summary>
    [JsonPropertyOrder(2)]
    public double AgingPassMicroseconds { get; set; }

    /// <summary>The longest pass of all repeats, interruptions included.</summary>
    [JsonPropertyOrder(2)]
    public double AgingPassSeenMicroseconds { get; set; }

    /// <summary>In each repeat.</summary>
    [JsonPropertyOrder(2)]
    public int AgingPasses { get; set; }

    /// <summary>Those of the largest table.</summary>
    [JsonPropertyOrder(2)]
    public long TableBytes { get; set; }

    /// <summary>Named as the rows of <c>spate bench drain</c>. Not part of the JSON.</summary>
    [JsonIgnore]
    public string SocketRow { get; set; } = "";

    /// <summary>Writes a table for each size, and a line on ageing.</summary>
    public static void Write(SessionsReport report, TerminalWriter writer)
    {
        BenchText.WriteHead(report, writer);
        writer.Line($"{report.SocketRow}; {BenchText.CpuOf(report)}; medians of {BenchText.Rounds(report.Rounds)}; "
            + $"{report.Seconds:0} s in total");
        foreach (IGrouping<int, SessionsRow> rows in report.Rows.GroupBy(static row => row.SizeBytes))
        {
            writer.Line();
            writer.Line($"{rows.Key} bytes, nanoseconds per datagram");
            writer.Table(SessionsRow.Metrics.Table, rows);
        }

        if (report.AgingPasses > 0)
        {
            writer.Line();
            writer.Line($"ageing {report.AgingPeers:#,0} sessions: {report.AgingPassMicroseconds:0.0} us in the "
                + $"longest of {report.AgingPasses} passes ({report.AgingPassSeenMicroseconds:0.0} us with "
                + $"interruptions); table size {Units.Bytes(report.TableBytes)}");
        }
    }
}

/// <summary>One number of peers in one pattern at one size: medians over the rounds.</summary>
internal sealed record SessionsRow : RoundsRow
{
    /// <summary>The number of sessions in the table.</summary>
    public required int Peers { get; set; }

    /// <summary>
    /// In <c>runs</c>, a peer has 64 datagrams in succession, as if coalesced; in <c>scattered</c>, one.
    /// </summary>
    public required string Pattern { get; set; }

    public required int SizeBytes { get; set; }

    /// <summary>The nanoseconds to receive a datagram, find its session and count it there.</summary>
    public required double NanosecondsPerDatagram { get; set; }

    /// <summary>The table's part of these: the difference to a drain without a table in the same round.</summary>
    public double TableNanosecondsPerDatagram { get; set; }

    /// <summary>The cost divided by that with one session at this size: the median of the rounds' quotients.</summary>
    public double TimesOneSession { get; set; }

    public double SpreadPercent { get; set; }

    internal static Metrics<SessionsRow> Metrics { get; } = new Metrics<SessionsRow>(static row => RowText.At(
            $"{RowText.Count(row.Peers, "peer")}, {row.Pattern}", row.SizeBytes))
        .Plain("sessions", MetricFormat.Count, 0, static row => row.Peers)
        .Text("pattern", static row => row.Pattern)
        .Cost("receive ns", "0.0", 0, static row => row.NanosecondsPerDatagram, isMain: true)
        .Plain("lookup ns", "0.0", 1, static row => row.TableNanosecondsPerDatagram)
        .Plain("times one session", "0.00", 2, static row => row.TimesOneSession)
        .Spread(3, static row => row.SpreadPercent);
}
