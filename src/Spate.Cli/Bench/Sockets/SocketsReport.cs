using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Bench.Rounds;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Sockets;

/// <summary>The report of <c>spate bench sockets</c>: one thread fills many sockets and then empties them.</summary>
internal sealed record SocketsReport : RoundsReport
{
    public const string KindName = "sockets";

    public SocketsReport() => Kind = KindName;

    /// <summary>By number of sockets, then by number of datagrams queued, then by mode.</summary>
    public SocketsRow[] Rows { get; set; } = [];

    /// <summary>Not part of the JSON.</summary>
    [JsonIgnore]
    public double Seconds { get; set; }

    internal override IReadOnlyList<ComparedFigure>? Figures =>
        [.. Rows.SelectMany(static row => row.Figures)];

    internal override JsonTypeInfo JsonType => BenchJson.Default.SocketsReport;
}
