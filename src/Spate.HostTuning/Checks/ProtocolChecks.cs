using Spate.HostTuning.Counters;
using Spate.HostTuning.Settings;
using static Spate.HostTuning.Checks.CheckFinding;

namespace Spate.HostTuning.Checks;

/// <summary>Counters of IP and UDP that should not grow, or not by more than noise.</summary>
internal static class ProtocolChecks
{
    // Scans and late answers come in ones or a few at a time, while a stream of datagrams that is worth a look has more
    // in a second. There is no share of the traffic in this: on an idle host noise is all that arrives.
    private const int MaxNoisePerSecond = 10;
    private const string NoiseReason = "At most 10 per second are usual in any network (scans, late answers, "
        + "packets for others): examine them only if a program misses datagrams.";

    private const string FilterFolder = "proc/sys/net/ipv4/conf";
    private const int MaxInterfaces = 4096;
    private const int StrictFilter = 1;
    private const int LooseFilter = 2;

    // What the README of OB-UDPST, the tool of the Broadband Forum, sets.
    private const long EnoughFragmentBytes = 104_857_600;

    /// <summary>Packets that were dropped because their source is reached by another interface.</summary>
    public static CheckFinding ReversePath(HostReadings host)
    {
        CheckFinding finding = Examine(
            host,
            "a route back by the same interface, or the loose filter (2)",
            "They arrived on another interface than the route to their source uses, and the strict filter "
                + "drops them (RFC 3704; ip-sysctl, rp_filter).",
            ["TcpExtIPReversePathFilter"]);
        if (finding.Status != CheckStatus.Problem) return finding;

        // The larger value of "all" and of the interface holds. Which interface dropped is not counted: only where one
        // alone is strict, it is known.
        long all = host.Files.ReadNumber($"{FilterFolder}/all/rp_filter") ?? 0;
        string[] strict =
        [
            .. host.Files.ListNames(FilterFolder, MaxInterfaces).Where(one => one is not ("all" or "default" or "lo")
                && Math.Max(all, host.Files.ReadNumber($"{FilterFolder}/{one}/rp_filter") ?? 0) == StrictFilter),
        ];
        if (strict.Length != 1) return finding;

        // Of a key, dots part the words: those of the name are slashes (sysctl(8)).
        var setting = new SysctlSetting($"net.ipv4.conf.{strict[0].Replace('.', '/')}.rp_filter");
        return setting.Read(host.Request.RootPath) is { } value && host.ReadNumber(setting) is { } number
            ? finding.With(new HostChange(setting, value, HostChange.Of(setting, number, LooseFilter).To))
            : finding;
    }

    /// <summary>Datagrams that were not put together again, or needed fragmenting and were not allowed it.</summary>
    public static CheckFinding Fragments(HostReadings host)
    {
        CheckFinding finding = Examine(
            host,
            "datagrams that fit into the MTU",
            "A datagram of several fragments is lost with any of them, and fragments wait in memory that is limited "
                + "(RFC 8900; ip-sysctl, ipfrag_high_thresh).",
            ["IpReasmFails", "IpFragFails", "Ip6ReasmFails", "Ip6FragFails"]);
        return finding.Status != CheckStatus.Problem ? finding : finding.With(
        [
            .. Change(host.Growth.Ip4.ReasmFails, "net.ipv4.ipfrag_high_thresh"),
            .. Change(host.Growth.Ip6.ReasmFails, "net.ipv6.ip6frag_high_thresh"),
        ]);

        IEnumerable<HostChange> Change(long? failed, string key)
        {
            var setting = new SysctlSetting(key);
            if (failed > 0 && host.ReadNumber(setting) is >= 0 and < EnoughFragmentBytes and var bytes)
            {
                yield return HostChange.Of(setting, bytes, EnoughFragmentBytes);
            }
        }
    }

    public static CheckFinding NoPorts(HostReadings host) => Examine(
        host,
        "a program that listens on the port",
        "Datagrams arrived at a port without a socket (RFC 4113, udpNoPorts): the program is not running, or is "
            + "bound to another address.",
        ["UdpNoPorts", "Udp6NoPorts"],
        noisy: ["UdpNoPorts", "Udp6NoPorts"]);

    public static CheckFinding Checksums(HostReadings host) => Examine(
        host,
        "0",
        "Datagrams arrived with a wrong UDP checksum (RFC 1122, 4.1.3.4): the path corrupts them, or the "
            + "sender's NIC computes it wrongly.",
        ["UdpInCsumErrors", "Udp6InCsumErrors"]);

    /// <summary>Packets that IP dropped.</summary>
    public static CheckFinding Discards(HostReadings host) => Examine(
        host,
        "0",
        "IP dropped packets of any protocol for a wrong header or address, a missing route, or a lack of memory "
            + "(RFC 4293).",
        [
            "IpInHdrErrors", "IpInAddrErrors", "IpInDiscards", "IpExtInNoRoutes", "IpOutDiscards",
            "Ip6InHdrErrors", "Ip6InAddrErrors", "Ip6InDiscards", "Ip6InNoRoutes", "Ip6OutDiscards",
        ],
        // Where IPv6 is switched off, each packet of it is discarded (ip6_rcv_core, net/ipv6/ip6_input.c).
        noisy: ["IpInHdrErrors", "IpInAddrErrors", "Ip6InHdrErrors", "Ip6InAddrErrors", "Ip6InDiscards"]);

    // Names are those of nstat(8). The noisy ones grow by noise on most hosts, where little is no problem.
    private static CheckFinding Examine(
        HostReadings host, string wanted, string reason, string[] names, params string[] noisy)
    {
        double maxNoise = MaxNoisePerSecond * Math.Max(1, host.Watched.TotalSeconds);
        (string Name, long? Growth)[] known =
        [
            .. names.Select(name => (Name: name, Growth: ProtocolCounter.Find(name).Get(host.Growth)))
                .Where(static one => one.Growth is not null),
        ];
        (string Name, long? Growth)[] grown = [.. known.Where(static one => one.Growth > 0)];
        (string Name, long? Growth)[] lost =
        [
            .. grown.Where(one => one.Growth > maxNoise || !noisy.Contains(one.Name, StringComparer.Ordinal)),
        ];
        if (known.Length == 0) return Unknown("The kernel does not provide these counters here.");

        if (grown.Length == 0)
        {
            string shown = string.Join(", ", known.Select(static one => one.Name));
            return Ok("none", $"No counter grew during the check ({shown}).");
        }

        return lost.Length == 0
            ? Advice(Describe(grown), wanted, $"{NoiseReason} {reason}")
            : Problem(Describe(lost), wanted, reason, lost.Sum(static one => one.Growth ?? 0));
    }

    private static string Describe(IEnumerable<(string Name, long? Growth)> grown) =>
        string.Join(", ", grown.Select(static one => $"{one.Name} {CheckText.Count(one.Growth ?? 0)}"));
}
