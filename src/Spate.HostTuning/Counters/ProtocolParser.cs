using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Counters;

/// <summary>Reads the counters of IP and UDP from <c>snmp</c>, <c>netstat</c> and <c>snmp6</c>: pure.</summary>
internal static class ProtocolParser
{
    public static UdpProtocolCounters ParseUdp4(ReadOnlySpan<byte> snmp)
    {
        var udp = new ProtocolTable(snmp, "Udp:"u8);
        return new UdpProtocolCounters
        {
            InDatagrams = udp["InDatagrams"u8],
            NoPorts = udp["NoPorts"u8],
            InErrors = udp["InErrors"u8],
            OutDatagrams = udp["OutDatagrams"u8],
            RcvbufErrors = udp["RcvbufErrors"u8],
            SndbufErrors = udp["SndbufErrors"u8],
            InCsumErrors = udp["InCsumErrors"u8],
            MemErrors = udp["MemErrors"u8],
        };
    }

    /// <summary><see cref="AddNetstat"/> adds the rest.</summary>
    public static IpCounters ParseIp4(ReadOnlySpan<byte> snmp)
    {
        var ip = new ProtocolTable(snmp, "Ip:"u8);
        return new IpCounters
        {
            InReceives = ip["InReceives"u8],
            InDelivers = ip["InDelivers"u8],
            InHdrErrors = ip["InHdrErrors"u8],
            InAddrErrors = ip["InAddrErrors"u8],
            InDiscards = ip["InDiscards"u8],
            OutRequests = ip["OutRequests"u8],
            OutDiscards = ip["OutDiscards"u8],
            OutNoRoutes = ip["OutNoRoutes"u8],
            ReasmFails = ip["ReasmFails"u8],
            FragFails = ip["FragFails"u8],
        };
    }

    public static IpCounters AddNetstat(IpCounters ip, ReadOnlySpan<byte> netstat)
    {
        var extension = new ProtocolTable(netstat, "IpExt:"u8);
        return ip with
        {
            InNoRoutes = extension["InNoRoutes"u8],
            ReversePathFilter = new ProtocolTable(netstat, "TcpExt:"u8)["IPReversePathFilter"u8],
            InSegments = extension["InNoECTPkts"u8] + extension["InECT1Pkts"u8]
                + extension["InECT0Pkts"u8] + extension["InCEPkts"u8],
        };
    }

    // The blank after each name keeps it from being the beginning of another one: the kernel pads names to 32.
    public static UdpProtocolCounters ParseUdp6(ReadOnlySpan<byte> snmp6) => new()
    {
        InDatagrams = FileText.NumberAfter(snmp6, "Udp6InDatagrams "u8),
        NoPorts = FileText.NumberAfter(snmp6, "Udp6NoPorts "u8),
        InErrors = FileText.NumberAfter(snmp6, "Udp6InErrors "u8),
        OutDatagrams = FileText.NumberAfter(snmp6, "Udp6OutDatagrams "u8),
        RcvbufErrors = FileText.NumberAfter(snmp6, "Udp6RcvbufErrors "u8),
        SndbufErrors = FileText.NumberAfter(snmp6, "Udp6SndbufErrors "u8),
        InCsumErrors = FileText.NumberAfter(snmp6, "Udp6InCsumErrors "u8),
        MemErrors = FileText.NumberAfter(snmp6, "Udp6MemErrors "u8),
    };

    public static IpCounters ParseIp6(ReadOnlySpan<byte> snmp6) => new()
    {
        InReceives = FileText.NumberAfter(snmp6, "Ip6InReceives "u8),
        InDelivers = FileText.NumberAfter(snmp6, "Ip6InDelivers "u8),
        InHdrErrors = FileText.NumberAfter(snmp6, "Ip6InHdrErrors "u8),
        InAddrErrors = FileText.NumberAfter(snmp6, "Ip6InAddrErrors "u8),
        InDiscards = FileText.NumberAfter(snmp6, "Ip6InDiscards "u8),
        InNoRoutes = FileText.NumberAfter(snmp6, "Ip6InNoRoutes "u8),
        OutRequests = FileText.NumberAfter(snmp6, "Ip6OutRequests "u8),
        OutDiscards = FileText.NumberAfter(snmp6, "Ip6OutDiscards "u8),
        OutNoRoutes = FileText.NumberAfter(snmp6, "Ip6OutNoRoutes "u8),
        ReasmFails = FileText.NumberAfter(snmp6, "Ip6ReasmFails "u8),
        FragFails = FileText.NumberAfter(snmp6, "Ip6FragFails "u8),
        InSegments = FileText.NumberAfter(snmp6, "Ip6InNoECTPkts "u8)
            + FileText.NumberAfter(snmp6, "Ip6InECT1Pkts "u8)
            + FileText.NumberAfter(snmp6, "Ip6InECT0Pkts "u8)
            + FileText.NumberAfter(snmp6, "Ip6InCEPkts "u8),
    };
}
