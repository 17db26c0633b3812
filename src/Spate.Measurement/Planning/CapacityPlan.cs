using System.Globalization;
using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Planning;

/// <summary>
/// Turns a load and a measurement into machines. A pure function: the same values give the same plan.
/// </summary>
public static class CapacityPlan
{
    private const double SecondsPerDay = 86_400;
    private const double DaysPerMonth = 365.25 / 12;

    // What a machine may keep for one socket. The kernel takes an int (SO_RCVBUF) and doubles it.
    private const double MaxBufferBytes = int.MaxValue / 2;

    /// <summary>Makes the plan.</summary>
    /// <param name="options">The load.</param>
    /// <param name="basis">What a machine was measured to receive.</param>
    public static PlanReport Make(PlanOptions options, PlanBasis basis)
    {
        double average = options.PerDay / SecondsPerDay;
        double peak = options.PeakPerSecond ?? Math.Max(1, PlanOptions.DefaultPeakTimes * average);
        double machines = Math.Max(1, Math.Ceiling(peak * 100 / (basis.CapacityPerSecond * options.MaxLoadPercent)));
        double inStall = Math.Ceiling(peak / machines * options.Stall.TotalSeconds);
        int charge = KernelCharge.PlannedBytes(options.SizeBytes);
        double? cost = options.CostPerMonth * (machines + 1);
        return new PlanReport
        {
            PerDay = options.PerDay,
            AveragePerSecond = average,
            PeakPerSecond = peak,
            SizeBytes = options.SizeBytes,
            PeakBitsPerSecond = 8 * peak * options.SizeBytes,
            Basis = basis,
            HeadRoom = basis.CapacityPerSecond / peak,
            AverageCpuPercent = average * basis.CpuNanosecondsPerDatagram / 1e7,
            PeakCpuPercent = peak * basis.CpuNanosecondsPerDatagram / 1e7,
            StallSeconds = options.Stall.TotalSeconds,
            StallDatagrams = inStall,
            ChargedBytesPerDatagram = charge,
            BufferBytes = Math.Ceiling(inStall * charge / 2),
            MaxLoadPercent = options.MaxLoadPercent,
            Machines = machines,
            MachinesWithSpare = machines + 1,
            CostPerMonth = cost,
            CostPerMillion = cost * 1e6 / (options.PerDay * DaysPerMonth),
            Assumptions = [.. Assumptions(options, basis, average, inStall * charge / 2)],
        };
    }

    private static IEnumerable<string> Assumptions(
        PlanOptions options, PlanBasis basis, double average, double bufferBytes)
    {
        if (options.PeakPerSecond is null)
        {
            yield return Text(
                $"the busiest second has {PlanOptions.DefaultPeakTimes:0} times the average of {average:#,0}: --peak");
        }

        yield return Text($"a machine gets at most {options.MaxLoadPercent:0.#} % of what it can receive: --max-load");
        yield return basis.Source.StartsWith("serve", StringComparison.Ordinal)
            ? "the handler's work is that of the measured server"
            : "a datagram is received and looked at, no more: the work of your program comes on top, and a report of "
                + "spate serve --work includes it";
        yield return "datagrams arrive one by one, from many clients; trains of one sender cost less";
        yield return "the load spreads evenly over the machines, and what the card's interrupts cost comes on top";
        if (basis.SizeBytes is { } measured && measured != options.SizeBytes)
        {
            yield return Text($"{measured} bytes were measured, {options.SizeBytes} are planned");
        }

        if (basis.LostPercent > 0)
        {
            yield return Text($"the measurement lost {basis.LostPercent:0.##} % at its rate; the plan stays below it");
        }

        if (options.CostPerMonth is not null) yield return Text($"a month has {DaysPerMonth:0.##} days");

        if (bufferBytes > MaxBufferBytes)
        {
            yield return "no socket can have such a buffer: plan a shorter pause, or more sockets";
        }
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
