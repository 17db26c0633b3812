using System.Text.Json.Serialization;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Traffic;

/// <summary>The report of a sender or a receiver of traffic, kind <c>send</c> or <c>receive</c>.</summary>
public sealed record TrafficReport : EndReport
{
    /// <summary>The kind of a sender's report.</summary>
    public const string SendKind = "send";

    /// <summary>The kind of a receiver's report.</summary>
    public const string ReceiveKind = "receive";

    /// <summary>The measuring threads with their CPUs and NUMA nodes.</summary>
    [JsonPropertyOrder(-15)]
    public ThreadReport[] Threads { get; set; } = [];

    /// <summary>How the rate was kept; null for a receiver and for no limit.</summary>
    public PacingReport? Pacing { get; set; }
}
