using System.IO.Compression;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

/// <summary>
/// What Linux 6.18 tells of a namespace in which 200 datagrams of 1400 bytes were sent through a token bucket filter
/// of 1 Mbit/s. Its interfaces are lo, veth0 and one whose name has a backslash and an escape in it.
/// </summary>
internal static class RecordedNamespace
{
    public const string Id = "net:[4026532246]@9977ce64-36c1-498e-ac53-20df5d6e1f18";

    public const string Net = "proc/thread-self/net/";

    private const string Snmp =
        "Ip: Forwarding DefaultTTL InReceives InHdrErrors InAddrErrors ForwDatagrams InUnknownProtos InDiscards " +
        "InDelivers OutRequests OutDiscards OutNoRoutes ReasmTimeout ReasmReqds ReasmOKs ReasmFails FragOKs " +
        "FragFails FragCreates OutTransmits\n" +
        "Ip: 2 64 1 2 3 4 5 6 7 200 179 9 10 11 12 13 14 15 16 200\n" +
        "Icmp: InMsgs InErrors\nIcmp: 0 0\n" +
        "Udp: " + UdpNames + "\nUdp: 21 22 23 200 25 179 27 28 29\n" +
        "UdpLite: " + UdpNames + "\nUdpLite: 0 0 0 0 0 0 0 0 0\n";

    private const string UdpNames =
        "InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors IgnoredMulti MemErrors";

    private const string Netstat =
        "TcpExt: SyncookiesSent SyncookiesRecv IPReversePathFilter TCPTimeWaitOverflow\nTcpExt: 0 0 31 0\n" +
        "IpExt: InNoRoutes InTruncatedPkts InMcastPkts OutMcastPkts InBcastPkts OutBcastPkts InOctets OutOctets " +
        "InMcastOctets OutMcastOctets InBcastOctets OutBcastOctets InCsumErrors InNoECTPkts InECT1Pkts InECT0Pkts " +
        "InCEPkts ReasmOverlaps\n" +
        "IpExt: 32 0 0 0 0 0 0 285600 0 0 0 0 0 1000 200 30 4 0\n";

    private const string Conntrack =
        "entries  clashres found new invalid ignore delete chainlength insert insert_failed drop early_drop " +
        "icmp_error  expect_new expect_create expect_delete search_restart\n" +
        "00000011  00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000000a 00000020 " +
        "00000003 00000000  00000000 00000000 00000000 00000000\n" +
        "00000011  00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000001 00000001 " +
        "00000001 00000000  00000000 00000000 00000000 00000000\n";

    private const string Softnet =
        "3498299e 0000000a 00000015 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000\n" +
        "3fa1d480 00000001 0000000c 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000\n";

    // The replies to RTM_GETLINK and RTM_GETQDISC (dumps), packed by zlib.
    private const string PackedLinks =
        "eNrtlktLW0EUx/8z9948tNYowYiCbbG+EDRWEbTWR00X3RS6s7QLkUQEH1GIrq87F/0ALv0I4tqP4EfIUkRcuOrClbdn5h4lGW8S" +
        "0saSlBzI/U9m5px77syZH3PuADFICABHrfSAban2Z90DhGFhKwtE0IZrC3BotjIHHazLemYENj0F6TvdH8Ekay9rH+sH1lfsNwzP" +
        "UzrC/rOsC6yLrO9x54VJ53j+R47zWsdx8Ibj9XP/OGtSawgp1k+c95DWFv5Ovy0f2xdI4H+xNO3ic9sLjNKaSm6HsJPd28/sZ5C0" +
        "evCT+o8K1hl6R4t/KFDTRJmxIIvR1qpaDYpzIluoJnQ0N04Zq1rqcmaQ++b7/OJvWGQPM0+P7KTdn6va7mwU7lcB9boVCT4dxT6r" +
        "N6VzVTHMvIWRM8qsj3s7XXZcm/3wLv995rwpYWEQTavG5qjG//RUxQM8HapKZW/xsqK/jXnXxpKbf8Juoat3OSaYZxYOMrmNJIr5" +
        "HTL4Dea3iqf4nWJ++5wtzW9ZI35Lg9+S+S2Y36ICv8fORg+3T31+e55/ogr5bZL8/qAx+Z14xvwL+R1DJ6K0rqp2/D0a4L1yeG9C" +
        "yK2t14Tt1Vq1bO8mtp9/ecp2Vevl2K6D/CXbRUDejch2aehxnZ4TWWH8uAZsl/+I7ZcBbFd1KLkI2+hfNv0j3ft9YhsG32Wd8h3M" +
        "d2HczyvyfTyfursqzffm/bx2fFc1FtX39+yu6qtjxuOB8QlifH6zyfimNdb9PU5tq4jxwG9bwb5h";

    private const string PackedQueues =
        "eNqbwsDAoMLABIQMDB3cDGDACKEY/gMBSJwHKJKXX1iaWprKwArkgYABAzuDCFwlAkgwMDNgAzo4xLGBPVjcxAR1GchNIJM4gOyS" +
        "pDSguUwMGiB3QJ3i8QLNTQEgQ4TBTHS3/yuDKBHH4vbNUPoe1O3IajdDxbGBGTjd/v//R6DbQa7jBtqdnFOcmFzCwMAClKVHmIoA" +
        "MTOauwAVkiQ5";

    private static readonly string[] Names6 =
    [
        "Ip6InReceives", "Ip6InHdrErrors", "Ip6InTooBigErrors", "Ip6InNoRoutes", "Ip6InAddrErrors", "Ip6InDiscards",
        "Ip6InDelivers", "Ip6OutRequests", "Ip6OutDiscards", "Ip6OutNoRoutes", "Ip6ReasmFails", "Ip6FragFails",
        "Ip6InNoECTPkts", "Ip6InECT1Pkts", "Ip6InECT0Pkts", "Ip6InCEPkts", "Udp6InDatagrams", "Udp6NoPorts",
        "Udp6InErrors", "Udp6OutDatagrams", "Udp6RcvbufErrors", "Udp6SndbufErrors", "Udp6InCsumErrors",
        "Udp6MemErrors", "UdpLite6InDatagrams",
    ];

    public static byte[] Links => Unpack(PackedLinks);

    public static byte[] Queues => Unpack(PackedQueues);

    public static FakeHost Host() => new FakeHost()
        .With(Net + "snmp", Snmp)
        .With(Net + "netstat", Netstat)
        .With(Net + "snmp6", string.Concat(Names6.Select((name, i) => $"{name,-32}\t{61 + i}\n")))
        .With(Net + "softnet_stat", Softnet)
        .With(Net + "stat/nf_conntrack", Conntrack)
        .With("proc/sys/net/netfilter/nf_conntrack_count", "17\n")
        .With("proc/sys/net/netfilter/nf_conntrack_max", "262144\n")
        .With("proc/sys/kernel/random/boot_id", "9977ce64-36c1-498e-ac53-20df5d6e1f18\n")
        .WithLink("proc/thread-self/ns/net", "net:[4026532246]")
        .With("netlink/links", Links)
        .With("netlink/queues", Queues);

    private static byte[] Unpack(string packed)
    {
        using var stream = new ZLibStream(
            new MemoryStream(Convert.FromBase64String(packed)), CompressionMode.Decompress);
        using var bytes = new MemoryStream();
        stream.CopyTo(bytes);
        return bytes.ToArray();
    }
}
