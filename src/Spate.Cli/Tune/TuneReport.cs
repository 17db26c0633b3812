using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Tune.Trials;
using Spate.HostTuning.Checks;
using Spate.Measurement.HostUse;

namespace Spate.Cli.Tune;

/// <summary>The report of <c>spate tune</c>: what would be set, what was set, or what was taken back.</summary>
internal sealed record TuneReport : HostReport
{
    public const string KindName = "tune";

    public TuneReport() => Kind = KindName;

    /// <summary>What was done: <c>plan</c>, <c>measure</c>, <c>apply</c> or <c>undo</c>.</summary>
    public required string Action { get; set; }

    /// <summary>What the host is tuned for; null for <c>undo</c>.</summary>
    public string? Profile { get; set; }

    public required string Journal { get; set; }

    public required int Done { get; set; }

    public required int Failed { get; set; }

    /// <summary>Settings that somebody else has changed since, and that were left alone.</summary>
    public required int Foreign { get; set; }

    public required TuneSetting[] Settings { get; set; }

    public TuneLoad? Load { get; set; }

    public TuneTrial[] Trials { get; set; } = [];

    internal override JsonTypeInfo JsonType => TuneJson.Default.TuneReport;
}

/// <summary>One setting of <c>spate tune</c>.</summary>
/// <param name="Check">The check that advises it, as in <c>docs/tune/checks.md</c>; null if it is taken back.</param>
/// <param name="State">
/// <c>planned</c>, <c>done</c>, <c>already</c> for one that had the value, <c>foreign</c> for one that somebody else
/// has changed since, or <c>failed</c>.
/// </param>
/// <param name="Undo">The command that takes it back; null where it is taken back.</param>
internal sealed record TuneSetting(
    string? Check,
    string Setting,
    string From,
    string To,
    string State,
    string? Note = null,
    string? Command = null,
    string? Undo = null)
{
    /// <summary>The settings of findings, in the order in which they would be made, each once.</summary>
    internal static TuneSetting[] PlanOf(IEnumerable<CheckFinding> findings) =>
    [
        .. findings
            .SelectMany(static finding => finding.Changes.Select(change => (finding.Id, Change: change)))
            .DistinctBy(static one => one.Change.Setting.Identity, StringComparer.Ordinal)
            .Select(static one => new TuneSetting(
                one.Id,
                one.Change.Setting.Name,
                one.Change.From,
                one.Change.To,
                "planned",
                Command: one.Change.Command,
                Undo: one.Change.Undo)),
    ];
}

/// <summary>
/// How the candidates of <c>spate tune --measure</c> were measured. <c>SizeBytes</c>: payload bytes of a datagram.
/// <c>DatagramsPerSecond</c>: the rate asked for; null for as many as possible.
/// </summary>
internal sealed record TuneLoad(
    string Ends, int SizeBytes, double? DatagramsPerSecond, double Seconds, int Repeat, int Seed);

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(TuneReport))]
internal sealed partial class TuneJson : JsonSerializerContext;

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

    /// <summary>The check that advises it, as in docs/tune/checks.md; <c>cpu</c> for CPUs of the threads.</summary>
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
