using System.Text.Json.Serialization;
using Spate.Measurement.Bench.Rounds;

namespace Spate.Measurement.Bench.PingPong;

/// <summary>The report of <c>spate bench pingpong</c>: round trips, one at a time.</summary>
public sealed record PingPongReport : RoundsReport
{
    /// <summary>The kind of this report.</summary>
    public const string KindName = "pingpong";

    /// <summary>An empty report of this kind.</summary>
    public PingPongReport() => Kind = KindName;

    /// <summary>Payload bytes of a ping.</summary>
    public int SizeBytes { get; set; }

    /// <summary>Seconds that the whole bench took.</summary>
    public double Seconds { get; set; }

    /// <summary>One row per way of waiting.</summary>
    public PingPongRow[] Rows { get; set; } = [];

    /// <summary>What servers use while nobody sends, one per design.</summary>
    public IdleRow[] Idle { get; set; } = [];

    /// <summary>Which CPUs the two ends ran on and why, in one line. Not part of the JSON.</summary>
    [JsonIgnore]
    public string Placement { get; set; } = "";

    /// <summary>
    /// Pings per row and round that were asked for; the rows say how many there was time for. Not part of the JSON.
    /// </summary>
    [JsonIgnore]
    public int PingsAsked { get; set; }

    /// <summary>How long each idle server was watched, in seconds. Not part of the JSON.</summary>
    [JsonIgnore]
    public double IdleSeconds { get; set; }
}
