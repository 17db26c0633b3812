using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Shell.Terminal;
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

    /// <summary>The kernel's charge to a socket's buffer for one datagram, in bytes (docs/tune/tuning.md).</summary>
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

/// <summary>The text of <c>spate plan</c>.</summary>
internal static class PlanText
{
    // net.core.rmem_default, which the kernel compares with what it charges: it is not doubled (socket(7)).
    private const double DefaultBufferBytes = 212_992;

    private const double MinShownPercent = 0.01;
    private const double MinShownRate = 0.1;

    private static readonly Table<(string Name, string Value)> Table = new(
        new("", Align.Left, 0, static line => line.Name),
        new("", Align.Wrapped, 0, static line => line.Value));

    public static void Write(PlanReport plan, TerminalWriter writer)
    {
        writer.Line($"{Datagrams(plan.PerDay)} of {Units.Count(plan.SizeBytes)} bytes per day");
        writer.Line();
        writer.Table(Table, Lines(plan));
        writer.Line();
        writer.Line("assumed:");
        foreach (string assumption in plan.Assumptions) writer.Line($"- {assumption}");
    }

    private static IEnumerable<(string Name, string Value)> Lines(PlanReport plan)
    {
        MeasuredCapacity basis = plan.Basis!;
        // A datagram that comes alone costs more than one of a coalesced buffer, so a plan for these is the least that
        // is needed.
        (string bound, string least) = basis.IsCoalesced ? ("at most ", "at least ") : ("", "");
        string threads = basis.Threads == 1 ? "one thread" : $"{basis.Threads} threads";
        string each = basis.CpuNanosecondsPerDatagram is { } nanoseconds
            ? $", {Units.Number(nanoseconds, "#,0.0")} ns of CPU time each"
            : "";
        yield return ("average", plan.AveragePerSecond < MinShownRate
            ? $"{Datagrams(plan.PerDay)} per day, under {MinShownRate} per second"
            : $"{Datagrams(plan.AveragePerSecond)} per second");
        yield return ("peak", $"{Datagrams(plan.PeakPerSecond)} in the busiest second, "
            + $"{Units.BitsPerSecond(plan.PeakBitsPerSecond)} of payload");
        yield return ("measured", $"a machine can receive {Units.PerSecond(basis.CapacityPerSecond)} datagrams per "
            + $"second on {threads}{each} ({basis.Source}{(basis.IsCoalesced ? ", coalesced" : "")})");
        yield return ("headroom", plan.HeadRoom >= 1
            ? $"one machine can receive {bound}{Units.PerSecond(plan.HeadRoom)} times the peak"
            : $"none: the peak is {Units.PerSecond(1 / plan.HeadRoom)} times what one machine can receive");
        yield return ("CPU", CpuOf(plan, basis));
        string pause = Units.Number(plan.StallSeconds, "0.######");
        yield return ("buffer", $"{Datagrams(plan.StallDatagrams)} in a pause of {pause} s, "
            + $"charged {Units.Count(plan.ChargedBytesPerDatagram)} bytes each: {BufferOf(plan.BufferBytes)}");
        yield return ("machines", $"{least}{Units.PerSecond(plan.MachinesWithSpare)}: "
            + $"{Units.PerSecond(plan.Machines)} for the peak, and one more that may fail");
        if (plan.CostPerMonth is { } cost)
        {
            yield return ("cost", $"{Units.Number(cost, cost < 1 ? "0.00####" : "#,0.00")} per month for the "
                + $"{Units.PerSecond(plan.MachinesWithSpare)} machines, "
                + $"{Units.Number(plan.CostPerMillion, "#,0.0000")} per million datagrams");
        }
    }

    private static string BufferOf(double bytes) => bytes switch
    {
        <= DefaultBufferBytes / 2 => "the system's default buffer holds them",
        > CapacityPlan.MaxBufferBytes => "more than any socket can hold",
        _ => $"--buffer {Units.Number(bytes, "0")}, which Linux doubles to {Units.Number(2 * bytes, "#,0")} bytes",
    };

    private static string CpuOf(PlanReport plan, MeasuredCapacity basis)
    {
        if (plan.PeakCpuPercent is not { } peak) return "unknown: see below";

        string share = basis.Cpus is { } cpus
            ? $"; at the peak {Percent(peak / cpus / plan.Machines)} of the {(cpus == 1 ? "one CPU" : $"{cpus} CPUs")} "
                + "of a machine"
            : "";
        string alone = basis.IsCoalesced ? "; more for uncoalesced datagrams" : "";
        return $"{Percent(plan.AverageCpuPercent!.Value)} of one CPU on average, {Percent(peak)} at the peak{share}"
            + alone;
    }

    private static string Datagrams(double count) => $"{Units.PerSecond(count)} datagram{(count == 1 ? "" : "s")}";

    private static string Percent(double value) => value < MinShownPercent
        ? "under 0.01 %"
        : $"{Units.Number(value, value < 10 ? "0.##" : "#,0")} %";
}
