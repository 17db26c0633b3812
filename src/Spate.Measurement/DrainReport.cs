namespace Spate.Measurement;

/// <summary>The report of <c>spate bench drain</c>: a socket filled, then emptied, by one thread.</summary>
public sealed class DrainReport : Report
{
    /// <summary>The kind of this report.</summary>
    public const string KindName = "drain";

    /// <summary>An empty report of this kind.</summary>
    public DrainReport() => Kind = KindName;

    /// <summary>How often each row was measured; the rows hold medians.</summary>
    public int Rounds { get; set; }

    /// <summary>One row per way and size.</summary>
    public DrainRow[] Rows { get; set; } = [];
}
