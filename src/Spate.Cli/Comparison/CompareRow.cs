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

    public int ZerosA { get; set; }

    public int ZerosB { get; set; }

    /// <summary>By how much the second side is larger, in percent, by geometric means; null if not judged.</summary>
    public double? DifferencePercent { get; set; }

    /// <summary>The lower end of the 95 % interval of <see cref="DifferencePercent"/>; null where that is.</summary>
    public double? LowPercent { get; set; }

    public double? HighPercent { get; set; }

    /// <summary>The difference that such samples show in 80 of 100 comparisons, in percent.</summary>
    public double? DetectablePercent { get; set; }

    /// <summary>
    /// How often chance alone would put the samples at least as far apart, in percent, by their ranks. Figures of which
    /// a sample is 0 are judged so, since they have no ratio: up to 5 % is a verdict. Null for the others.
    /// </summary>
    public double? ChancePercent { get; set; }

    public string Verdict { get; set; } = Unjudged;

    public string? Why { get; set; }
}
