using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Sessions;

/// <summary>The report of <c>spate bench sessions</c>: the cost per datagram of finding a peer's session.</summary>
internal sealed record SessionsReport : RoundsReport
{
    /// <summary>The kind of this report.</summary>
    public const string KindName = "sessions";

    /// <summary>An empty report of this kind.</summary>
    public SessionsReport() => Kind = KindName;

    /// <summary>One row per size, number of peers and pattern.</summary>
    public SessionsRow[] Rows { get; set; } = [];

    /// <summary>
    /// The number of sessions in the table whose ageing was measured, which is the largest table. If the run was
    /// interrupted before, this and the other figures of ageing are 0.
    /// </summary>
    public int AgingPeers { get; set; }

    /// <summary>
    /// The longest pass of ageing in microseconds, first while nothing expires and then while everything does. Each
    /// pass counts with its shortest repeat, so that interruptions do not count as ageing.
    /// </summary>
    public double AgingPassMicroseconds { get; set; }

    /// <summary>The longest pass of all repeats in microseconds, interruptions included.</summary>
    public double AgingPassSeenMicroseconds { get; set; }

    /// <summary>The number of passes of ageing in each repeat.</summary>
    public int AgingPasses { get; set; }

    /// <summary>The bytes that the largest table reserved.</summary>
    public long TableBytes { get; set; }

    /// <summary>
    /// The backend and offloads of the sockets, named as the rows of <c>spate bench drain</c>. Not part of the JSON.
    /// </summary>
    [JsonIgnore]
    public string SocketRow { get; set; } = "";

    /// <summary>Seconds that the whole bench took. Not part of the JSON.</summary>
    [JsonIgnore]
    public double Seconds { get; set; }

    internal override IReadOnlyList<ComparedFigure>? Figures =>
        [.. Rows.SelectMany(static row => row.Figures)];

    internal override JsonTypeInfo JsonType => BenchJson.Default.SessionsReport;
}
