namespace Spate.Measurement.Counting;

/// <summary>Lengths that were counted, such as those of loss bursts. All are numbers of datagrams.</summary>
internal sealed record LengthReport
{
    /// <summary>The number of lengths.</summary>
    public long Count { get; set; }

    /// <summary>The mean length; 0 where there is none.</summary>
    public double Mean { get; set; }

    /// <summary>The longest; 0 where there is none.</summary>
    public long Max { get; set; }

    /// <summary>
    /// The number of lengths of 1, of 2 to 3, of 4 to 7 and so on by powers of two, up to the longest.
    /// </summary>
    public long[] CountsByPowerOfTwo { get; set; } = [];

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(
        nameof(LengthReport), PrintMembers, (nameof(CountsByPowerOfTwo), CountsByPowerOfTwo));

    internal static LengthReport From(LengthHistogram lengths) => new()
    {
        Count = lengths.Count,
        Mean = lengths.Mean,
        Max = lengths.Max,
        CountsByPowerOfTwo = lengths.CountsByPowerOfTwo.ToArray(),
    };
}
