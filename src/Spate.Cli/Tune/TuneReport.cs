using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
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
/// <param name="Check">The check that advises it, as in <c>docs/tuning.md</c>; null where it is taken back.</param>
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
    string? Undo = null);

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
