using System.Text.Json.Serialization;
using Spate.Measurement.Bench.Rounds;

namespace Spate.Measurement.Bench.Sessions;

/// <summary>The report of <c>spate bench sessions</c>: what finding a peer's session costs a datagram.</summary>
public sealed record SessionsReport : RoundsReport
{
    /// <summary>The kind of this report.</summary>
    public const string KindName = "sessions";

    /// <summary>An empty report of this kind.</summary>
    public SessionsReport() => Kind = KindName;

    /// <summary>One row per size, number of peers and pattern.</summary>
    public SessionsRow[] Rows { get; set; } = [];

    /// <summary>
    /// Sessions in the table whose ageing was timed: the largest number of peers. 0 where the run was interrupted
    /// before; then the other figures of ageing are 0 too.
    /// </summary>
    public int AgingPeers { get; set; }

    /// <summary>
    /// The longest pass of ageing, in microseconds, of a turn in which nothing expires and of one in which everything
    /// does. Each pass counts with the least of its repeats, so that an interruption does not count as ageing.
    /// </summary>
    public double AgingPassMicroseconds { get; set; }

    /// <summary>The longest single pass that was seen, interruptions included, in microseconds.</summary>
    public double AgingPassSeenMicroseconds { get; set; }

    /// <summary>Passes of ageing that were timed in each repeat.</summary>
    public int AgingPasses { get; set; }

    /// <summary>Bytes that the largest table reserved.</summary>
    public long TableBytes { get; set; }

    /// <summary>
    /// The backend and offloads that filled and drained, named as the rows of <c>spate bench drain</c>. Not part of
    /// the JSON.
    /// </summary>
    [JsonIgnore]
    public string SocketRow { get; set; } = "";

    /// <summary>Seconds that the whole bench took. Not part of the JSON.</summary>
    [JsonIgnore]
    public double Seconds { get; set; }
}
