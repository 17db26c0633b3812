using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Measurement.Reports;

namespace Spate.Cli.Plan;

/// <summary>The report of <c>spate plan</c>: a load, and the machines that receive it.</summary>
internal sealed record PlanReport : Report
{
    public const string KindName = "plan";

    public PlanReport() => Kind = KindName;

    public long PerDay { get; set; }

    public double AveragePerSecond { get; set; }

    public double PeakPerSecond { get; set; }

    public int SizeBytes { get; set; }

    /// <summary>Payload bits a second at the peak.</summary>
    public double PeakBitsPerSecond { get; set; }

    public MeasuredCapacity? Basis { get; set; }

    /// <summary>Whether a signal ended the measurement early: the plan stands on the complete rounds.</summary>
    public bool Interrupted { get; set; }

    /// <summary>Peaks that one machine can receive; at most, if <see cref="MeasuredCapacity.IsCoalesced"/>.</summary>
    public double HeadRoom { get; set; }

    /// <summary>
    /// CPU time at the average load, all machines together, in percent of one CPU; null where it is not known. At
    /// least so much where <see cref="MeasuredCapacity.IsCoalesced"/>.
    /// </summary>
    public double? AverageCpuPercent { get; set; }

    /// <summary>The same at the peak.</summary>
    public double? PeakCpuPercent { get; set; }

    public double StallSeconds { get; set; }

    public double StallDatagrams { get; set; }

    /// <summary>What the kernel charges a socket's buffer for one datagram, in bytes (docs/tuning.md).</summary>
    public int ChargedBytesPerDatagram { get; set; }

    /// <summary>The buffer to ask for (<c>--buffer</c>), in bytes. The kernel doubles it.</summary>
    public double BufferBytes { get; set; }

    public double MaxLoadPercent { get; set; }

    public double Machines { get; set; }

    /// <summary>One machine more, so that one may fail at the peak.</summary>
    public double MachinesWithSpare { get; set; }

    public double? CostPerMonth { get; set; }

    public double? CostPerMillion { get; set; }

    public string[] Assumptions { get; set; } = [];

    internal override JsonTypeInfo JsonType => PlanJson.Default.PlanReport;
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(PlanReport))]
internal sealed partial class PlanJson : JsonSerializerContext;
