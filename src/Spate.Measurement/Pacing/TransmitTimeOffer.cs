using System.Net;
using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading.Interfaces;

namespace Spate.Measurement.Pacing;

/// <summary>Whether the way to a target keeps times to leave: its interface has fq, or fq for each queue.</summary>
// fq orders by CLOCK_MONOTONIC (tc-fq(8)). etf keeps times of CLOCK_TAI (tc-etf(8)), which is not supported.
internal static class TransmitTimeOffer
{
    private const string Fq = "fq";
    private const string Etf = "etf";

    // Disciplines without a queue of their own, whose children are one for each queue of the card.
    private static readonly string[] PerQueue = ["mq", "mqprio", "taprio"];

    // They see what comes in, or classify, and hold nothing.
    private static readonly string[] Others = ["ingress", "clsact"];

    /// <summary>Why times are not kept on the way to a target; null where they are. Nothing is sent.</summary>
    public static string? Refusal(UdpAddress target)
    {
        if (!OperatingSystem.IsLinux()) return "only Linux supports transmit times";

        IPAddress address = target.ToIPAddress();
        if (LocalAddresses.Contains(address))
        {
            return $"{target} is this machine, and the loopback ignores transmit times";
        }

        if (LocalAddresses.Toward(new IPEndPoint(address, 0)) is not { } local) return $"no route to {target}";

        ServingInterfaces serving = ServingInterfaces.Find(local, InterfaceFacts.ReadAll());
        if (serving.Names.Count == 0) return $"the interface of the route to {target} is unknown";

        using var reader = new NetworkCounterReader([serving.Names[0]]);
        return Judge(serving.Names[0], reader.Read().Queues);
    }

    /// <summary>What to tell a user, with what to do; null where times are kept.</summary>
    internal static string? Fault(UdpAddress target) => Refusal(target) is { } reason ? FaultOf(reason) : null;

    internal static string FaultOf(string reason) =>
        $"transmit times are unavailable: {reason}; use --pace sleep or spin";

    internal static string? Judge(string interfaceName, IReadOnlyList<QueueCounters> queues)
    {
        QueueCounters[] roots = [.. queues.Where(static queue => queue.IsRoot)];
        if (roots.Length == 0) return $"the qdisc of {interfaceName} is unknown";

        QueueCounters[] deciding = PerQueue.Contains(roots[0].Kind, StringComparer.Ordinal)
            ? [.. queues.Where(static queue => !queue.IsRoot && !Others.Contains(queue.Kind, StringComparer.Ordinal))]
            : roots;
        string? other = deciding.Length == 0
            ? roots[0].Kind
            : deciding.Select(static queue => queue.Kind).FirstOrDefault(static kind => kind is not Fq);
        return other switch
        {
            null => null,
            Etf => $"{interfaceName} has the qdisc etf, which uses CLOCK_TAI: only fq is supported",
            _ => $"{interfaceName} has the qdisc {other}, which ignores transmit times: as root, "
                + $"tc qdisc replace dev {interfaceName} root fq (the kernel needs sch_fq)",
        };
    }
}
