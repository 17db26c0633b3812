using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Sockets;

/// <summary>The report of <c>spate bench sockets</c>: one thread fills many sockets and then empties them.</summary>
internal sealed record SocketsReport : RoundsReport
{
    /// <summary>The kind of this report.</summary>
    public const string KindName = "sockets";

    /// <summary>An empty report of this kind.</summary>
    public SocketsReport() => Kind = KindName;

    /// <summary>One row per number of sockets, number of datagrams queued, and mode, in this order.</summary>
    public SocketsRow[] Rows { get; set; } = [];

    /// <summary>Seconds that the whole bench took. Not part of the JSON.</summary>
    [JsonIgnore]
    public double Seconds { get; set; }

    internal override IReadOnlyList<ComparedFigure>? Figures =>
        [.. Rows.SelectMany(static row => row.Figures)];

    internal override JsonTypeInfo JsonType => BenchJson.Default.SocketsReport;
}
