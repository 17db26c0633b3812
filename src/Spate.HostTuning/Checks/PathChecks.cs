using System.Net.Sockets;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Probing;
using Spate.HostTuning.Settings;
using static Spate.HostTuning.Checks.CheckFinding;

namespace Spate.HostTuning.Checks;

/// <summary>The way to another host, one finding for each address family.</summary>
internal static class PathChecks
{
    private const int MaxPacketBytes = 65_535;

    private const int JumboBytes = 9000;

    // Below this ESnet's guide warns from 10 Gbit/s on (fasterdata, host tuning).
    private const int MinJumboBytes = 8000;

    // ip-sysctl.rst, fib_multipath_hash_policy: 0 is the addresses, 1 the ports too.
    private const string HashAddresses = "0";
    private const string HashPorts = "1";

    private const int MarkBits = 0b11;
    private const int CongestionMark = 0b11;

    private static readonly string JumboPayloads =
        $"{CheckText.Bytes(JumboBytes)} on all hosts and switches of this network: payloads of "
        + $"{CheckText.Count(PathMtu.MaxPayload(JumboBytes, AddressFamily.InterNetwork))} bytes (IPv4) or "
        + $"{CheckText.Count(PathMtu.MaxPayload(JumboBytes, AddressFamily.InterNetworkV6))} bytes (IPv6)";

    /// <summary>The largest packet that the path to the target carries, and the way back.</summary>
    public static IEnumerable<CheckFinding> Mtu(HostReadings host) => Each(host.Paths, MtuOf);

    /// <summary>Whether packets are as large as a fast local network allows.</summary>
    public static IEnumerable<CheckFinding> Jumbo(HostReadings host) => host.Paths.Count > 0
        ? host.Paths.Where(static path => path.Interface is { IsLoopback: false })
            .DistinctBy(static path => path.Interface!.Name, StringComparer.Ordinal)
            .Select(path => JumboOf(host, path))
        : host.Interfaces.Select(one => JumboOf(host, one.Facts, isLocal: true));

    /// <summary>Whether this host has several ways to the target, and what flows are shared out by.</summary>
    public static IEnumerable<CheckFinding> NextHops(HostReadings host) =>
        Each(host.Paths.Where(static path => path.KnownBytes is not null), path => NextHopsOf(host, path));

    /// <summary>Whether ECN marks survive the path.</summary>
    public static IEnumerable<CheckFinding> Ecn(HostReadings host) =>
        Each(host.Paths.Where(static path => path.Probe?.PathBytes is not null), EcnOf);

    private static IEnumerable<CheckFinding> Each(
        IEnumerable<PathReading> paths, Func<PathReading, CheckFinding> look) =>
        paths.Select(path => look(path) with { Interface = path.Interface?.Name });

    private static CheckFinding MtuOf(PathReading path)
    {
        string family = CheckText.Family(path.Family);
        if (path.KnownBytes is not { } known) return Unknown($"This host has no route to the target over {family}.");

        string kernel = $"The kernel assumes {CheckText.Bytes(known)} over {family}";
        if (path.Probe is not { } probe)
        {
            return Unknown(
                $"{kernel}, and this process may not send probes: run it as root, or let its group send them "
                    + "(icmp(7), net.ipv4.ping_group_range).");
        }

        if (probe.PathBytes is not { } bytes)
        {
            return Unknown($"{kernel}; the target answered no probe (ICMP echo), or a firewall drops them.");
        }

        string found = $"{(probe.IsExact ? "" : "at least ")}{CheckText.Bytes(bytes)} over {family}";
        string wanted = Payloads(bytes);
        if (probe.ReplyFragmentBytes is { } back && back < bytes)
        {
            return Advice(
                $"{found}, {CheckText.Bytes(back)} on the return path",
                $"{Payloads(back)} in both directions",
                "The target's replies were fragmented; one lost fragment loses its whole datagram (RFC 8085, 3.2).");
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

        string Payloads(int mtuBytes) =>
            $"payloads of at most {CheckText.Bytes(PathMtu.MaxPayload(mtuBytes, path.Family))}";
    }

    private static CheckFinding JumboOf(HostReadings host, PathReading path)
    {
        InterfaceFacts one = path.Interface!;
        bool isLocal = path.Route?.IsOnLink == true;
        bool isShort = isLocal && one.MtuBytes >= MinJumboBytes && path.Probe?.PathBytes < MinJumboBytes;
        return isShort
            ? Advice(
                $"interface {CheckText.Bytes(one.MtuBytes ?? 0)}, path {CheckText.Bytes(path.Probe?.PathBytes ?? 0)}",
                JumboPayloads,
                "A switch or the target accepts only smaller packets: packets as large as this host's "
                    + "interface MTU are lost (ESnet, UDP tuning).") with
            { Interface = one.Name }
            : JumboOf(host, one, isLocal);
    }

    private static CheckFinding JumboOf(HostReadings host, InterfaceFacts one, bool isLocal)
    {
        string found = CheckText.Bytes(one.MtuBytes ?? 0);
        CheckFinding finding = one.MtuBytes switch
        {
            null => Unknown("The system does not report this interface's MTU."),
            >= MinJumboBytes => Ok(found, "Packets are large, so the same data needs few of them."),
            _ when !isLocal => Ok(found, "The path has a router, and few routed paths have a larger MTU."),
            _ when host.Needs.Profile is HostProfile.OneGigabit or HostProfile.Latency =>
                Ok(found, "Larger packets help from 10 Gbit/s on."),
            _ => Advice(
                found,
                JumboPayloads,
                "Each packet costs the same for any size: large ones reach four to five times the throughput within "
                    + "a local network (ESnet, UDP tuning)."),
        };
        bool isSettable = !host.Files.IsEmpty && HostSettings.IsInterface(one.Name);
        return finding.Status != CheckStatus.Advice || !isSettable
            ? finding with { Interface = one.Name }
            : finding with
            {
                Interface = one.Name,
                Command = $"ip link set dev {one.Name} mtu {JumboBytes}",
                Undo = $"ip link set dev {one.Name} mtu {one.MtuBytes}",
            };
    }

    private static CheckFinding NextHopsOf(HostReadings host, PathReading path)
    {
        string family = CheckText.Family(path.Family);
        if (path.Route is not { } route) return Unknown($"The system does not report its route over {family}.");

        string found = $"{CheckText.Plural(route.NextHopCount, "next hop")} over {family}";
        if (route.NextHopCount == 1)
        {
            return Ok(found, "All flows use one next hop; later routers may spread them by their ports.");
        }

        string version = path.Family == AddressFamily.InterNetworkV6 ? "ipv6" : "ipv4";
        var policy = new SysctlSetting($"net.{version}.fib_multipath_hash_policy");
        return policy.Read(host.Request.RootPath) is HashAddresses
            ? Advice(
                found,
                "flows spread by their ports",
                "All flows between two hosts use one next hop, because the hash uses only the addresses "
                    + "(ip-sysctl.rst, fib_multipath_hash_policy).")
                .With(new HostChange(policy, HashAddresses, HashPorts))
            : Ok(
                found,
                "Each flow uses one next hop, so flows differ in loss and delay: compare runs with several flows.");
    }

    private static CheckFinding EcnOf(PathReading path)
    {
        string family = CheckText.Family(path.Family);
        return (path.EchoedClass & MarkBits) switch
        {
            null => Unknown($"Over {family} only unmarked probes were answered: a router drops marked ones."),
            PathReader.EcnMark => Ok($"marks pass over {family}", "The reply to a marked probe kept the mark."),
            CongestionMark => Ok(
                $"marks pass over {family}", "A router marked the probe or its reply (congestion experienced)."),
            // Linux answers with the marks of the request (icmp_reply, icmpv6_echo_reply); others need not.
            _ => Unknown(
                $"The reply over {family} had no mark: a router cleared it, or the target answers without (RFC 3168)."),
        };
    }
}
