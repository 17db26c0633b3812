using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.KernelMessages;

namespace Spate.HostTuning.Counters;

/// <summary>Reads the counters of interfaces from the replies to RTM_GETLINK: pure.</summary>
internal static class LinkParser
{
    // What kernels before 4.6 send: everything ahead of rx_nohandler.
    private const int OldStatisticsBytes = 23 * sizeof(ulong);

    /// <summary><c>reply</c> may be bytes from anywhere. <c>name</c>: the only one, in UTF-8; empty for all.</summary>
    public static void Add(
        ReadOnlySpan<byte> reply, ReadOnlySpan<byte> name, int maxCount, List<InterfaceCounters> interfaces)
    {
        var messages = new NetlinkMessages(reply);
        while (interfaces.Count < maxCount && messages.TryRead(out nlmsghdr header, out ReadOnlySpan<byte> payload))
        {
            if (header.nlmsg_type == RtNetlink.RTM_NEWLINK && MemoryMarshal.TryRead(payload, out ifinfomsg link)
                && Parse(link.ifi_index, payload[Unsafe.SizeOf<ifinfomsg>()..], name) is { } counters
                && Find(interfaces, counters.Index) is null)
            {
                interfaces.Add(counters);
            }
        }
    }

    public static InterfaceCounters? Find(List<InterfaceCounters> interfaces, int index)
    {
        // Not List.Find, whose closure would be made for every message of a dump.
        foreach (InterfaceCounters one in interfaces)
        {
            if (one.Index == index) return one;
        }

        return null;
    }

    private static InterfaceCounters? Parse(int index, ReadOnlySpan<byte> bytes, ReadOnlySpan<byte> wanted)
    {
        ReadOnlySpan<byte> name = default;
        ReadOnlySpan<byte> statistics = default;
        var attributes = new NetlinkAttributes(bytes);
        while (attributes.TryRead(out int number, out ReadOnlySpan<byte> value))
        {
            if (number == IfLink.IFLA_IFNAME) name = FileText.BeforeNul(value);
            if (number == IfLink.IFLA_STATS64) statistics = value;
        }

        bool isNamed = name.Length is > 0 and < If.IFNAMSIZ && (wanted.IsEmpty || name.SequenceEqual(wanted));
        return isNamed ? Fill(new InterfaceCounters(FileText.Escape(name), index), statistics) : null;
    }

    private static InterfaceCounters Fill(InterfaceCounters counters, ReadOnlySpan<byte> statistics)
    {
        if (statistics.Length < OldStatisticsBytes) return counters;

        rtnl_link_stats64 counts = default;
        Span<byte> bytes = MemoryMarshal.AsBytes(new Span<rtnl_link_stats64>(ref counts));
        statistics[..Math.Min(statistics.Length, bytes.Length)].CopyTo(bytes);
        return counters with
        {
            RxPackets = (long)counts.rx_packets,
            RxBytes = (long)counts.rx_bytes,
            RxDropped = (long)counts.rx_dropped,
            RxErrors = (long)counts.rx_errors,
            RxMissedErrors = (long)counts.rx_missed_errors,
            RxFifoErrors = (long)counts.rx_fifo_errors,
            RxNoHandler = statistics.Length > OldStatisticsBytes ? (long)counts.rx_nohandler : null,
            TxPackets = (long)counts.tx_packets,
            TxBytes = (long)counts.tx_bytes,
            TxDropped = (long)counts.tx_dropped,
            TxErrors = (long)counts.tx_errors,
            TxFifoErrors = (long)counts.tx_fifo_errors,
            TxCarrierErrors = (long)counts.tx_carrier_errors,
        };
    }
}
