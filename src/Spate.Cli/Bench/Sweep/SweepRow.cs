namespace Spate.Cli.Bench.Sweep;

/// <summary>One placement of a sweep, compared with the default.</summary>
internal sealed record SweepRow
{
    /// <summary>What stands in place of a verdict for the default.</summary>
    public const string Default = "the default";

    /// <summary>As <c>--cpu</c> takes them, for example <c>0,1</c>.</summary>
    public string Cpu { get; set; } = "";

    /// <summary>How these CPUs differ from the others that were tried.</summary>
    public string Placement { get; set; } = "";

    /// <summary>The median over the rounds, in the unit of <see cref="SweepReport.Figure"/>.</summary>
    public double Median { get; set; }

    public double[] Samples { get; set; } = [];

    /// <summary>By geometric means; null for the default, and where the value is not judged.</summary>
    public double? DifferencePercent { get; set; }

    /// <summary>The lower end of the 95 % interval of <see cref="DifferencePercent"/>; null where that is.</summary>
    public double? LowPercent { get; set; }

    /// <summary>The upper end of that interval.</summary>
    public double? HighPercent { get; set; }

    /// <summary><see cref="Default"/>, <c>Better</c>, <c>Worse</c>, <c>Unproven</c> or <c>Unjudged</c>.</summary>
    public string Verdict { get; set; } = Default;

    /// <summary>Why there is no verdict; null where there is one.</summary>
    public string? Why { get; set; }

    public override string ToString() => RecordText.Of(nameof(SweepRow), PrintMembers, (nameof(Samples), Samples));
}
