namespace Spate.Measurement;

/// <summary>The report of <c>spate bench relay</c>: what it costs to send on a fixed rate.</summary>
public sealed class RelayReport : Report
{
    /// <summary>The kind of this report.</summary>
    public const string KindName = "relay";

    /// <summary>An empty report of this kind.</summary>
    public RelayReport() => Kind = KindName;

    /// <summary>Payload bytes of a datagram.</summary>
    public int SizeBytes { get; set; }

    /// <summary>Datagrams per second that were asked for.</summary>
    public double AskedDatagramsPerSecond { get; set; }

    /// <summary>How often each row was measured; the rows hold medians.</summary>
    public int Rounds { get; set; }

    /// <summary>Seconds that the whole bench took.</summary>
    public double Seconds { get; set; }

    /// <summary>One row per relay and kind of generator.</summary>
    public RelayRow[] Rows { get; set; } = [];
}
