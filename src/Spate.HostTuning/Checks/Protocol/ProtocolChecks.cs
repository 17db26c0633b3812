namespace Spate.HostTuning.Checks.Protocol;

/// <summary>The checks of what IP and UDP count.</summary>
internal static class ProtocolChecks
{
    public static IReadOnlyList<HostCheck> All { get; } =
    [
        new ReversePathCheck(),
        new FragmentCheck(),
        new CounterCheck(
            "no-ports",
            "datagrams to ports without a socket",
            "a program that listens on the port",
            "Datagrams came to a port that no socket is bound to (RFC 4113, udpNoPorts): the program is not running, "
                + "or is bound to another address.",
            ("UdpNoPorts", static one => one.Udp4.NoPorts),
            ("Udp6NoPorts", static one => one.Udp6.NoPorts))
        {
            Noisy = ["UdpNoPorts", "Udp6NoPorts"],
        },
        new CounterCheck(
            "checksum-errors",
            "wrong checksums",
            "0",
            "Datagrams came in with a wrong UDP checksum (RFC 1122, 4.1.3.4): something on the way changes them, or "
                + "the sender's card computes it wrongly.",
            ("UdpInCsumErrors", static one => one.Udp4.InCsumErrors),
            ("Udp6InCsumErrors", static one => one.Udp6.InCsumErrors)),

        // OutNoRoutes of IP is left out: nothing is lost where a program asks for a route that is not there, which
        // look-ups of names do for each address that they find (RFC 6724), and the probes of --target too.
        new CounterCheck(
            "ip-discards",
            "packets that IP dropped",
            "0",
            "IP dropped packets of any protocol for a wrong header or address, a missing route, or a lack of memory "
                + "(RFC 4293).",
            ("IpInHdrErrors", static one => one.Ip4.InHdrErrors),
            ("IpInAddrErrors", static one => one.Ip4.InAddrErrors),
            ("IpInDiscards", static one => one.Ip4.InDiscards),
            ("IpExtInNoRoutes", static one => one.Ip4.InNoRoutes),
            ("IpOutDiscards", static one => one.Ip4.OutDiscards),
            ("Ip6InHdrErrors", static one => one.Ip6.InHdrErrors),
            ("Ip6InAddrErrors", static one => one.Ip6.InAddrErrors),
            ("Ip6InDiscards", static one => one.Ip6.InDiscards),
            ("Ip6InNoRoutes", static one => one.Ip6.InNoRoutes),
            ("Ip6OutDiscards", static one => one.Ip6.OutDiscards))
        {
            // Where IPv6 is switched off, each packet of it is discarded (ip6_rcv_core, net/ipv6/ip6_input.c).
            Noisy = ["IpInHdrErrors", "IpInAddrErrors", "Ip6InHdrErrors", "Ip6InAddrErrors", "Ip6InDiscards"],
        },
        new EarlyDemuxCheck(),
    ];
}
