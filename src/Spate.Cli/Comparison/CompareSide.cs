namespace Spate.Cli.Comparison;

/// <summary>One side of a comparison.</summary>
internal sealed record CompareSide
{
    /// <summary>Where its reports are from: the names of files, or the command that was run.</summary>
    public string[] Sources { get; set; } = [];

    /// <summary>The number of its reports.</summary>
    public int Reports { get; set; }

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(nameof(CompareSide), PrintMembers, (nameof(Sources), Sources));
}
