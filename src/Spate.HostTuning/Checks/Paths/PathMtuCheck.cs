using System.Net.Sockets;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Probing;

namespace Spate.HostTuning.Checks.Paths;

/// <summary>The largest packet that the path to the target carries, and the way back.</summary>
internal sealed class PathMtuCheck : HostCheck
{
    private const int MaxPacketBytes = 65_535;

    public override string Id => "path-mtu";

    public override string Subject => "largest packet on the path to the target";

    public override IEnumerable<CheckFinding> Examine(HostReadings host) =>
        host.Paths.Select(path => OfPath(path) with { Interface = path.Interface?.Name });

    private CheckFinding OfPath(PathReading path)
    {
        string family = CheckText.Family(path.Family);
        if (path.KnownBytes is not { } known) return Unknown($"This host has no route to the target over {family}.");

        string kernel = $"The kernel assumes {CheckText.Bytes(known)} over {family}";
        if (path.Probe is not { } probe)
        {
            return Unknown(
                $"{kernel}, and this process may send no probes: run it as root, or let its group send them "
                    + "(icmp(7), net.ipv4.ping_group_range).");
        }

        if (probe.PathBytes is not { } bytes)
        {
            return Unknown($"{kernel}; the target answered no probe (ICMP echo), or a firewall drops them.");
        }

        string found = $"{(probe.IsExact ? "" : "at least ")}{CheckText.Bytes(bytes)} over {family}";
        string wanted = $"payloads of at most {CheckText.Bytes(Payload(bytes, path.Family))}";
        if (probe.ReplyFragmentBytes is { } back && back < bytes)
        {
            return Advice(
                $"{found}, {CheckText.Bytes(back)} on the way back",
                $"payloads of at most {CheckText.Bytes(Payload(back, path.Family))} in both directions",
                "The target's replies came in fragments; one lost fragment loses its whole datagram (RFC 8085, 3.2).");
        }

        return bytes < Math.Min(path.Interface?.MtuBytes ?? bytes, MaxPacketBytes)
            ? Advice(
                found,
                wanted,
                "The path carries less than this host's interface: a longer datagram is fragmented or lost on the way "
                    + "(RFC 8085, 3.2).")
            : Ok(
                found,
                $"Datagrams with {wanted} pass unfragmented in both directions "
                    + $"({CheckText.Plural(probe.ProbeCount, "probe")} of ICMP echo).");
    }

    private static int Payload(int mtuBytes, AddressFamily family) => PathMtu.MaxPayload(mtuBytes, family);
}
