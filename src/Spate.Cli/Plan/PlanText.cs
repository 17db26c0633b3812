using Spate.Cli.Terminal;
using Spate.Measurement.Planning;

namespace Spate.Cli.Plan;

/// <summary>The text of <c>spate plan</c>.</summary>
internal static class PlanText
{
    private const double DefaultBufferBytes = 212_992;

    private static readonly Table<(string Name, string Value)> Table = new(
        new("", Align.Left, 0, static line => line.Name),
        new("", Align.Wrapped, 0, static line => line.Value));

    public static void Write(PlanReport plan, Page page)
    {
        page.Line($"{Units.Count(plan.PerDay)} datagrams a day of {plan.SizeBytes} bytes");
        page.Line();
        page.Table(Table, Lines(plan));
        page.Line();
        page.Line("assumed:");
        foreach (string assumption in plan.Assumptions) page.Line($"- {assumption}");
    }

    private static IEnumerable<(string Name, string Value)> Lines(PlanReport plan)
    {
        PlanBasis basis = plan.Basis!;
        string threads = basis.Threads == 1 ? "one thread" : $"{basis.Threads} threads";
        yield return ("average", $"{Units.PerSecond(plan.AveragePerSecond)} a second");
        yield return ("peak", $"{Units.PerSecond(plan.PeakPerSecond)} a second, "
            + $"{Units.BitsPerSecond(plan.PeakBitsPerSecond)} of payload");
        yield return ("measured", $"{Units.PerSecond(basis.CapacityPerSecond)} a second on {threads}, "
            + $"{Units.Number(basis.CpuNanosecondsPerDatagram, "0.#")} ns of CPU each ({basis.Source})");
        yield return ("CPU", $"{Percent(plan.AverageCpuPercent)} of one CPU on average, "
            + $"{Percent(plan.PeakCpuPercent)} at the peak{Share(plan, basis)}");
        yield return ("head room", $"one machine can receive {Units.PerSecond(plan.HeadRoom)} times the peak");
        yield return ("buffer", $"{Units.Count((long)plan.StallDatagrams)} datagrams in a pause of "
            + $"{plan.StallSeconds:0.###} s, charged {plan.ChargedBytesPerDatagram} bytes each: "
            + BufferOf(plan.BufferBytes));
        yield return ("machines", $"{Units.PerSecond(plan.Machines)} for the peak, "
            + $"{Units.PerSecond(plan.MachinesWithSpare)} so that one may fail");
        if (plan.CostPerMonth is { } cost)
        {
            yield return ("cost", $"{Units.Number(cost, "#,0.00")} a month, "
                + $"{Units.Number(plan.CostPerMillion, "#,0.0000")} a million datagrams");
        }
    }

    private static string BufferOf(double bytes) => 2 * bytes <= DefaultBufferBytes
        ? "the system's default buffer is enough"
        : $"--buffer {Units.Count((long)bytes).Replace(",", "", StringComparison.Ordinal)}";

    private static string Share(PlanReport plan, PlanBasis basis) => basis.Cpus is { } cpus
        ? $" ({Percent(plan.PeakCpuPercent / cpus / plan.Machines)} of a machine's {cpus})"
        : "";

    private static string Percent(double value) => $"{Units.Number(value, value < 10 ? "0.##" : "#,0")} %";
}
