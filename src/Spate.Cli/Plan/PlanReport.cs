using System.Text.Json.Serialization.Metadata;
using Spate.Measurement.Reports;

namespace Spate.Cli.Plan;

/// <summary>The report of <c>spate plan</c>: a load, and the machines that receive it.</summary>
internal sealed record PlanReport : Report
{
    /// <summary>The kind of this report.</summary>
    public const string KindName = "plan";

    /// <summary>An empty report of this kind.</summary>
    public PlanReport() => Kind = KindName;

    /// <summary>Datagrams a day.</summary>
    public long PerDay { get; set; }

    /// <summary>Datagrams a second on average.</summary>
    public double AveragePerSecond { get; set; }

    /// <summary>Datagrams in the busiest second.</summary>
    public double PeakPerSecond { get; set; }

    /// <summary>Payload bytes of a datagram.</summary>
    public int SizeBytes { get; set; }

    /// <summary>Payload bits a second at the peak.</summary>
    public double PeakBitsPerSecond { get; set; }

    /// <summary>What the plan stands on.</summary>
    public MeasuredCapacity? Basis { get; set; }

    /// <summary>
    /// Whether a signal ended the measurement early: the plan then stands on the rounds that were complete.
    /// </summary>
    public bool Interrupted { get; set; }

    /// <summary>
    /// How many times the peak one machine can receive; at most so many where
    /// <see cref="MeasuredCapacity.IsCoalesced"/>.
    /// </summary>
    public double HeadRoom { get; set; }

    /// <summary>
    /// CPU time at the average load, all machines together, in percent of one CPU; null where it is not known. At
    /// least so much where <see cref="MeasuredCapacity.IsCoalesced"/>.
    /// </summary>
    public double? AverageCpuPercent { get; set; }

    /// <summary>
    /// CPU time at the peak, all machines together, in percent of one CPU; null where it is not known. At least
    /// so much where <see cref="MeasuredCapacity.IsCoalesced"/>.
    /// </summary>
    public double? PeakCpuPercent { get; set; }

    /// <summary>The longest pause of a reader that the buffer bridges, in seconds.</summary>
    public double StallSeconds { get; set; }

    /// <summary>Datagrams that come to one machine in that pause, at the peak.</summary>
    public double StallDatagrams { get; set; }

    /// <summary>What the kernel charges a socket's buffer for one datagram, in bytes (docs/tuning.md).</summary>
    public int ChargedBytesPerDatagram { get; set; }

    /// <summary>The buffer to ask for (<c>--buffer</c>), in bytes. The kernel doubles it.</summary>
    public double BufferBytes { get; set; }

    /// <summary>How much of what a machine can receive it may get at the peak, in percent.</summary>
    public double MaxLoadPercent { get; set; }

    /// <summary>The machines that carry the peak.</summary>
    public double Machines { get; set; }

    /// <summary>One machine more, so that one may fail at the peak.</summary>
    public double MachinesWithSpare { get; set; }

    /// <summary>What these cost a month; null where no price was given.</summary>
    public double? CostPerMonth { get; set; }

    /// <summary>What a million datagrams cost, with the spare machine; null where no price was given.</summary>
    public double? CostPerMillion { get; set; }

    /// <summary>What was assumed, one sentence each.</summary>
    public string[] Assumptions { get; set; } = [];

    internal override JsonTypeInfo JsonType => PlanJson.Default.PlanReport;
}
