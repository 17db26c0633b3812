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

    /// <summary>Settings that were set, or taken back.</summary>
    public required int Done { get; set; }

    /// <summary>Settings that the system refused to set.</summary>
    public required int Failed { get; set; }

    /// <summary>Settings that somebody else has changed since, and that were left alone.</summary>
    public required int Foreign { get; set; }

    public required TuneSetting[] Settings { get; set; }

    /// <summary>How candidates were measured; null where they were not.</summary>
    public TuneLoad? Load { get; set; }

    /// <summary>What was tried with <c>--measure</c>, in the order of the plan; else empty.</summary>
    public TuneTrial[] Trials { get; set; } = [];

    internal override JsonTypeInfo JsonType => TuneJson.Default.TuneReport;
}
