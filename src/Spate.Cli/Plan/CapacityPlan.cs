using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Plan;

/// <summary>Turns a load and a measurement into machines. Pure.</summary>
internal static class CapacityPlan
{
    /// <summary>The largest buffer of a socket in bytes: the kernel doubles it in an int (__sock_set_rcvbuf).</summary>
    public const double MaxBufferBytes = int.MaxValue / 2;

    private const double SecondsPerDay = 86_400;
    private const double DaysPerMonth = 365.25 / 12;

    // The usual net.core.rmem_max, up to which SO_RCVBUF is granted without privileges (socket(7)).
    private const double UsualMaxBufferBytes = 212_992;

    public static PlanReport Make(PlanOptions options, MeasuredCapacity basis)
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
            Interrupted = basis.Interrupted,
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
            Assumptions = [.. Assumptions(options, basis, average, charge, Math.Ceiling(inStall * charge / 2))],
        };
    }

    private static string ArrivalOf(MeasuredCapacity basis)
    {
        string? count = basis.DatagramsPerCall?.ToString("#,0.0", CultureInfo.InvariantCulture);
        if (basis.IsCoalesced)
        {
            string calls = count is null ? "" : $", {count} datagrams per call";
            return $"datagrams arrive coalesced, as they may have in the measurement (gro{calls}): "
                + "uncoalesced, as from many clients, a datagram needs many times the CPU time, so the CPU share and "
                + "the machines are lower bounds; measure with --no-gro for such a load";
        }

        string alike = count is null ? ""
            : $"; a call returns {count} of them, as measured, and fewer at a low load, at a higher cost each";
        return $"datagrams arrive uncoalesced, from many clients{alike}; coalesced datagrams of one sender cost less";
    }

    private static IEnumerable<string> Assumptions(
        PlanOptions options, MeasuredCapacity basis, double average, int charge, double bufferBytes)
    {
        CultureInfo plain = CultureInfo.InvariantCulture;
        if (options.PeakPerSecond is null)
        {
            yield return PlanOptions.DefaultPeakTimes * average < 1
                ? "the busiest second has one datagram: --peak"
                : string.Create(
                    plain,
                    $"the busiest second has {PlanOptions.DefaultPeakTimes:0} times the average of {average:#,0.#}: "
                    + $"--peak");
        }

        yield return string.Create(
            plain, $"a machine gets at most {options.MaxLoadPercent:0.#} % of its capacity: --max-load");
        foreach (string assumption in basis.Assumptions) yield return assumption;
        yield return ArrivalOf(basis);
        yield return "the load spreads evenly over the machines, and one socket per machine receives all of its load";
        yield return string.Create(
            plain,
            $"Linux charges a buffer {charge:#,0} bytes for a datagram of {options.SizeBytes:#,0} bytes, as with "
            + $"NICs that keep it in half a page; double the buffer for NICs that use a whole page");
        if (basis.SizeBytes is { } measured && measured != options.SizeBytes)
        {
            yield return string.Create(
                plain, $"datagrams of {measured} bytes were measured: {options.SizeBytes} bytes cost the same");
        }

        if (basis.LostPercent > 0)
        {
            yield return string.Create(
                plain, $"the measurement lost {basis.LostPercent:0.##} % at its rate; the plan stays below it");
        }

        if (options.CostPerMonth is not null)
        {
            yield return string.Create(plain, $"a month has {DaysPerMonth:0.##} days");
        }

        if (BufferLimit(options.ReceiveMaximumBytes, bufferBytes) is { } limit) yield return limit;
    }

    private static string? BufferLimit(long? maxBytes, double bufferBytes)
    {
        CultureInfo plain = CultureInfo.InvariantCulture;
        if (bufferBytes > MaxBufferBytes)
        {
            return string.Create(
                plain, $"no socket can have {bufferBytes:#,0} bytes of buffer: plan a shorter pause or more sockets");
        }

        if (bufferBytes <= Math.Min(UsualMaxBufferBytes, maxBytes ?? UsualMaxBufferBytes)) return null;

        string needed = maxBytes is not { } known
            ? string.Create(plain, $"net.core.rmem_max, usually {UsualMaxBufferBytes:#,0}, is {bufferBytes:0} or more")
            : known >= bufferBytes
                ? string.Create(plain, $"net.core.rmem_max is {bufferBytes:0} or more, as on this host ({known:#,0})")
                : string.Create(
                    plain, $"net.core.rmem_max is raised to {bufferBytes:0} (on this host it is {known:#,0})");
        return needed + ", or the program has CAP_NET_ADMIN";
    }
}

/// <summary>Reads from a report what a plan can stand on.</summary>
internal static class PlanBasisReader
{
    private const string Expected = "expected a report of receive, serve, test, bench or bench drain";

    // Beyond what any machine has, and small enough for every figure of a plan to be finite.
    private const double MinCapacityPerSecond = 1e-3;
    private const double MaxCapacityPerSecond = 1e12;
    private const double MaxCpuNanoseconds = 1e12;
    private const int MaxSizeBytes = 65_535;
    private const int MaxThreads = 1 << 16;

    /// <param name="report">One of <c>receive</c>, <c>serve</c>, <c>test</c>, <c>bench</c> or <c>drain</c>.</param>
    /// <param name="sizeBytes">The size of the plan: of several rows, the one with the nearest size counts.</param>
    public static bool TryRead(
        Report report,
        int sizeBytes,
        [NotNullWhen(true)] out MeasuredCapacity? basis,
        [NotNullWhen(false)] out string? error)
    {
        string what = report is TrafficReport ? "a sender's report" : $"a report of kind {report.Kind}";
        (basis, error) = report.ReadCapacity(sizeBytes)
            ?? CapacityReading.Refused($"{what} does not show the receive rate of a machine: {Expected}");
        if (basis is not null && !IsPossible(basis))
        {
            (basis, error) = CapacityReading.Refused(
                "it has impossible figures (rate, loss, CPU time, size or threads): measure again");
        }

        error ??= basis is null ? Expected : null;
        return error is null;
    }

    private static bool IsPossible(MeasuredCapacity basis) =>
        basis.CapacityPerSecond is >= MinCapacityPerSecond and <= MaxCapacityPerSecond
        && basis.MeasuredPerSecond is null or (>= 0 and <= MaxCapacityPerSecond)
        && basis.LostPercent is null or (>= 0 and <= 100)
        && basis.CpuNanosecondsPerDatagram is null or (> 0 and <= MaxCpuNanoseconds)
        && basis.SizeBytes is null or (>= 0 and <= MaxSizeBytes)
        && basis.Threads is >= 1 and <= MaxThreads
        && basis.Cpus is null or (>= 1 and <= MaxThreads);
}
