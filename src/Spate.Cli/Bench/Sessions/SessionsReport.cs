using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Sessions;

/// <summary>The report of <c>spate bench sessions</c>: the cost per datagram of finding a peer's session.</summary>
internal sealed record SessionsReport : RoundsReport
{
    public const string KindName = "sessions";

    public SessionsReport() => Kind = KindName;

    /// <summary>One row per size, number of peers and pattern.</summary>
    public SessionsRow[] Rows { get; set; } = [];

    /// <summary>Those of the largest table. If interrupted before, all figures of ageing are 0.</summary>
    public int AgingPeers { get; set; }

    /// <summary>The longest pass, each with its shortest repeat: interruptions do not count as ageing.</summary>
    public double AgingPassMicroseconds { get; set; }

    /// <summary>The longest pass of all repeats, interruptions included.</summary>
    public double AgingPassSeenMicroseconds { get; set; }

    /// <summary>In each repeat.</summary>
    public int AgingPasses { get; set; }

    /// <summary>Those of the largest table.</summary>
    public long TableBytes { get; set; }

    /// <summary>Named as the rows of <c>spate bench drain</c>. Not part of the JSON.</summary>
    [JsonIgnore]
    public string SocketRow { get; set; } = "";

    /// <summary>Not part of the JSON.</summary>
    [JsonIgnore]
    public double Seconds { get; set; }

    internal override IReadOnlyList<ComparedFigure>? Figures =>
        [.. Rows.SelectMany(static row => row.Figures)];

    internal override JsonTypeInfo JsonType => BenchJson.Default.SessionsReport;
}
