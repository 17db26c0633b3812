namespace Spate.Measurement;

/// <summary>The report of <c>spate bench sockets</c>: many sockets filled, then emptied, by one thread.</summary>
public sealed class SocketsReport : Report
{
    /// <summary>The kind of this report.</summary>
    public const string KindName = "sockets";

    /// <summary>An empty report of this kind.</summary>
    public SocketsReport() => Kind = KindName;

    /// <summary>How often each row was measured; the rows hold medians.</summary>
    public int Rounds { get; set; }

    /// <summary>One row per number of sockets, number of datagrams queued, and mode.</summary>
    public SocketsRow[] Rows { get; set; } = [];
}
