namespace Spate.Cli.Comparison;

/// <summary>One figure of one row on both sides.</summary>
internal sealed record CompareRow
{
    public const string Better = "better";

    public const string Worse = "worse";

    public const string Unproven = "no difference shown";

    public const string Unjudged = "no verdict";

    /// <summary>The row of the reports; empty where they have no rows.</summary>
    public string Row { get; set; } = "";

    public string Figure { get; set; } = "";

    /// <summary>The median of the first side; null where it is not known.</summary>
    public double? A { get; set; }

    public double? B { get; set; }

    public int SamplesA { get; set; }

    public int SamplesB { get; set; }

    /// <summary>The samples of the first side that are 0.</summary>
    public int ZerosA { get; set; }

    public int ZerosB { get; set; }

    /// <summary>
    /// How much larger the second side is, in percent of the first, by geometric means; null where it is not judged.
    /// </summary>
    public double? DifferencePercent { get; set; }

    /// <summary>The lower end of the 95 % interval of <see cref="DifferencePercent"/>; null where that is.</summary>
    public double? LowPercent { get; set; }

    public double? HighPercent { get; set; }

    /// <summary>
    /// The difference that samples of this number and spread show in 80 of 100 comparisons, in percent; null where
    /// <see cref="DifferencePercent"/> is.
    /// </summary>
    public double? DetectablePercent { get; set; }

    /// <summary>
    /// How often chance alone would put the samples at least as far apart, in percent, by their ranks. Figures of which
    /// a sample is 0 are judged so, since they have no ratio: up to 5 % is a verdict. Null for the others.
    /// </summary>
    public double? ChancePercent { get; set; }

    /// <summary>
    /// One of <see cref="Better"/>, <see cref="Worse"/>, <see cref="Unproven"/> and <see cref="Unjudged"/>, of the
    /// second side.
    /// </summary>
    public string Verdict { get; set; } = Unjudged;

    /// <summary>Why there is no verdict; null where there is one.</summary>
    public string? Why { get; set; }
}
