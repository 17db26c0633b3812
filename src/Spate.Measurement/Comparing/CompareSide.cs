namespace Spate.Measurement.Comparing;

/// <summary>One side of a comparison.</summary>
public sealed record CompareSide
{
    /// <summary>Where its reports are from: the names of files, or the command that was run.</summary>
    public string[] Sources { get; set; } = [];

    /// <summary>The number of its reports.</summary>
    public int Reports { get; set; }
}
