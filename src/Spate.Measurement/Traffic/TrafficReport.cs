using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Measurement.HostUse;
using Spate.Measurement.Loss;
using Spate.Measurement.Pacing;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Traffic;

/// <summary>The report of a sender or a receiver of traffic, kind <c>send</c> or <c>receive</c>.</summary>
internal sealed record TrafficReport : EndReport
{
    public const string SendKind = "send";

    public const string ReceiveKind = "receive";

    [JsonPropertyOrder(-15)]
    public ThreadReport[] Threads { get; set; } = [];

    /// <summary>How the rate was kept; null for a receiver and for no limit.</summary>
    public PacingReport? Pacing { get; set; }

    /// <summary>
    /// By <see cref="LossPlace"/>, as far as the receiver alone can tell; null where it judges nothing.
    /// </summary>
    [MapNames(typeof(LossPlace))]
    public IReadOnlyDictionary<string, long>? LostWhere { get; set; }

    /// <summary>Lost datagrams that are in no place of <see cref="LostWhere"/>; null where that is null.</summary>
    public long? Unexplained { get; set; }

    /// <summary>In one sentence; null where nothing was lost, or nothing is judged.</summary>
    public string? Verdict { get; set; }

    /// <summary>A command or options; null where nothing was lost or none is known.</summary>
    public string? Remedy { get; set; }

    internal override IReadOnlyList<ThreadReport> WorkingThreads => Threads;

    internal override IEnumerable<ReportSetting> MachineSettings => Pacing is null ? base.MachineSettings :
    [
        .. base.MachineSettings,
        new("pacing", Pacing.Mode),
        ReportSetting.Of("maxBurstMicroseconds", Pacing.MaxBurstMicroseconds),
    ];

    internal override CapacityReading? ReadCapacity(int sizeBytes) =>
        Kind is ReceiveKind ? new EndCapacity("receive", this).Read() : null;

    internal override JsonTypeInfo JsonType => TrafficJson.Default.TrafficReport;
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(TrafficReport))]
internal sealed partial class TrafficJson : JsonSerializerContext;
