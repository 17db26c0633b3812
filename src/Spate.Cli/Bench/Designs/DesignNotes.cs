using System.Globalization;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Designs;

/// <summary>Notes that explain the figures of a row, one sentence each.</summary>
internal static class DesignNotes
{
    // A smaller share of the datagrams sent is not mentioned as unaccounted for.
    private const double MinShareToName = 0.0005;

    public static IEnumerable<string> Of(DesignRow row, IReadOnlyList<DesignMeasurement> rounds, long askedPerRound)
    {
        UdpBackend backend = rounds[^1].Backend;
        if (row.Design is "ring" && backend != UdpBackend.Uring)
        {
            yield return $"ring: io_uring cannot be had here, {NameText.Of(backend)} filled the batches";
        }

        string name = $"{row.Design}, work {row.WorkRounds}, {row.ThreadCount} threads";
        long sent = rounds.Sum(static round => round.Sent);
        long missing = sent - rounds.Sum(static round => round.Handled);
        if (missing > 0)
        {
            yield return $"{name}: {Count(missing)} of {Count(sent)} were not handled: "
                + WhereTheyWent(row, rounds, sent, missing);
        }

        long refused = rounds.Sum(static round => round.Refused);
        long asked = askedPerRound * rounds.Count;
        if (sent + refused < asked) yield return $"{name}: there was time to send {Count(sent)} of {Count(asked)}";

        if (refused > 0) yield return $"{name}: the system refused to send {Count(refused)}, not among those sent";

        long fallbacks = rounds.Sum(static round => round.GsoFallbacks);
        if (fallbacks > 0) yield return $"{name}: the route refused {fallbacks} GSO messages, which were sent plainly";
    }

    private static string WhereTheyWent(
        DesignRow row, IReadOnlyList<DesignMeasurement> rounds, long sent, long missing)
    {
        long? kernelDrops = rounds.Aggregate((long?)0, static (sum, round) => sum + round.KernelDrops);
        long? backlogDrops = rounds.Aggregate((long?)0, static (sum, round) => sum + round.BacklogDrops);
        bool isCoalesced = row.Design.EndsWith("-gro", StringComparison.Ordinal);
        string unit = isCoalesced ? "coalesced buffers" : "datagrams";
        long? errors = rounds.Aggregate((long?)0, static (sum, round) => sum + round.HostUdpErrors);
        string drops = kernelDrops is long kernel
            ? $"{Count(kernel)} {unit} dropped by the kernel, the receive buffer being full"
            : "the kernel does not count its drops here" + (errors is long count
                ? $", and {Count(count)} errors of UDP on the whole host" : "");
        if (backlogDrops is long backlog and > 0)
        {
            drops += $", {Count(backlog)} before the socket (net.core.netdev_max_backlog, whole system)";
        }

        long named = (kernelDrops ?? missing) + (backlogDrops ?? 0);
        bool isOpen = !isCoalesced && missing - named > sent * MinShareToName;
        return isOpen ? drops + $", {Count(missing - named)} not accounted for" : drops;
    }

    private static string Count(long count) => count.ToString("#,0", CultureInfo.InvariantCulture);
}
