namespace Spate.Measurement;

/// <summary>The report of <c>spate bench pingpong</c>: round trips, one at a time.</summary>
public sealed class PingPongReport : Report
{
    /// <summary>The kind of this report.</summary>
    public const string KindName = "pingpong";

    /// <summary>An empty report of this kind.</summary>
    public PingPongReport() => Kind = KindName;

    /// <summary>Payload bytes of a ping.</summary>
    public int SizeBytes { get; set; }

    /// <summary>How often each row was measured; the rows hold medians.</summary>
    public int Rounds { get; set; }

    /// <summary>Seconds that the whole bench took.</summary>
    public double Seconds { get; set; }

    /// <summary>One row per way of waiting.</summary>
    public PingPongRow[] Rows { get; set; } = [];

    /// <summary>What servers use while nobody sends, one per design.</summary>
    public IdleRow[] Idle { get; set; } = [];
}
