using Spate.Cli.Tune.Trials;

namespace Spate.Cli.Tune;

/// <summary>A candidate of <c>spate tune --measure</c>, and what was measured with and without it.</summary>
internal sealed record TuneTrial
{
    public const string Helps = "helps";

    /// <summary>
    /// The verdict of a candidate that makes a figure worse in one series. It is not measured again, so chance alone
    /// gives it to one of 20.
    /// </summary>
    public const string Worse = "looks worse";

    public const string Unproven = "no difference shown";

    public const string Unjudged = "no verdict";

    public const string Refused = "refused";

    public const string NotTried = "not tried";

    /// <summary>The check that advises it, as in <c>docs/tuning.md</c>; <c>cpu</c> for CPUs of the threads.</summary>
    public required string Check { get; set; }

    public required string Setting { get; set; }

    /// <summary>What it was; of several settings, the first one.</summary>
    public required string From { get; set; }

    public required string To { get; set; }

    /// <summary>The figure that was judged; null where nothing was measured.</summary>
    public string? Figure { get; set; }

    public int Samples { get; set; }

    /// <summary>What did not arrive of what was offered, in percent, without the candidate: the median.</summary>
    public double? MissingPercentBefore { get; set; }

    public double? MissingPercentAfter { get; set; }

    /// <summary>Datagrams that arrived in a second without the candidate: the median.</summary>
    public double? DatagramsPerSecondBefore { get; set; }

    public double? DatagramsPerSecondAfter { get; set; }

    /// <summary>CPU time of both ends for a datagram without the candidate: the median; null where unknown.</summary>
    public double? CpuNanosecondsBefore { get; set; }

    public double? CpuNanosecondsAfter { get; set; }

    /// <summary>
    /// How much larger <see cref="Figure"/> is with the candidate, in percent, by geometric means; null where a value
    /// is 0, since that has no ratio.
    /// </summary>
    public double? DifferencePercent { get; set; }

    /// <summary>The lower end of the 95 % interval of <see cref="DifferencePercent"/>.</summary>
    public double? LowPercent { get; set; }

    public double? HighPercent { get; set; }

    /// <summary>
    /// How often chance alone would put the samples of <see cref="Figure"/> at least as far apart, in percent, by their
    /// ranks; null where <see cref="DifferencePercent"/> is known.
    /// </summary>
    public double? ChancePercent { get; set; }

    /// <summary>The difference of the rate that 80 of 100 runs would show, in percent; null where unknown.</summary>
    public double? DetectableRatePercent { get; set; }

    public string Verdict { get; set; } = Unjudged;

    public string? Note { get; set; }

    public string? Command { get; set; }

    public static TuneTrial Without(TrialCandidate candidate, string note, string verdict = NotTried) => new()
    {
        Check = candidate.Check,
        Setting = candidate.Setting,
        From = candidate.From,
        To = candidate.To,
        Command = candidate.Command,
        Verdict = verdict,
        Note = note,
    };
}
