namespace Spate.Measurement;

/// <summary>The report of <c>spate bench</c>: every way to move datagrams, both ends in one process.</summary>
public sealed class BenchReport : Report
{
    /// <summary>The kind of this report.</summary>
    public const string KindName = "bench";

    /// <summary>An empty report of this kind.</summary>
    public BenchReport() => Kind = KindName;

    /// <summary>How often each row was measured; the rows hold medians.</summary>
    public int Rounds { get; set; }

    /// <summary>Seconds that the whole bench took.</summary>
    public double Seconds { get; set; }

    /// <summary>One row per way and size.</summary>
    public BenchRow[] Rows { get; set; } = [];
}
