using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.KernelMessages;

namespace Spate.HostTuning.Counters;

/// <summary>Reads the counters of queueing disciplines from the reply to RTM_GETQDISC: pure.</summary>
internal static class QueueParser
{
    // The kernel's IFNAMSIZ bounds names of disciplines too (struct Qdisc_ops).
    private const int MaxKindBytes = If.IFNAMSIZ - 1;

    /// <summary>In the kernel's order. <c>reply</c> may be bytes from anywhere.</summary>
    public static List<QueueCounters> Parse(
        ReadOnlySpan<byte> reply, List<InterfaceCounters> interfaces, int maxCount)
    {
        var queues = new List<QueueCounters>();
        var messages = new NetlinkMessages(reply);
        while (queues.Count < maxCount && messages.TryRead(out nlmsghdr header, out ReadOnlySpan<byte> payload))
        {
            if (header.nlmsg_type == RtNetlink.RTM_NEWQDISC && MemoryMarshal.TryRead(payload, out tcmsg queue)
                && LinkParser.Find(interfaces, queue.tcm_ifindex) is { } owner)
            {
                queues.Add(Parse(owner.Name, queue, payload[Unsafe.SizeOf<tcmsg>()..]));
            }
        }

        return queues;
    }

    private static QueueCounters Parse(string interfaceName, tcmsg queue, ReadOnlySpan<byte> bytes)
    {
        ReadOnlySpan<byte> kind = default;
        ReadOnlySpan<byte> statistics = default;
        var attributes = new NetlinkAttributes(bytes);
        while (attributes.TryRead(out int number, out ReadOnlySpan<byte> value))
        {
            if (number == RtNetlink.TCA_KIND) kind = FileText.BeforeNul(value);
            if (number == RtNetlink.TCA_STATS2) statistics = value;
        }

        string kindText = FileText.Escape(kind[..Math.Min(kind.Length, MaxKindBytes)]);
        string parent = queue.tcm_parent == PktSched.TC_H_ROOT
            ? QueueCounters.RootParent
            : $"{queue.tcm_parent >> 16:x}:{queue.tcm_parent & PktSched.TC_H_MIN_MASK:x}";
        return Fill(new QueueCounters(interfaceName, kindText, $"{queue.tcm_handle >> 16:x}:", parent), statistics);
    }

    private static QueueCounters Fill(QueueCounters counters, ReadOnlySpan<byte> statistics)
    {
        long? packets = null;
        long? packets64 = null;
        var attributes = new NetlinkAttributes(statistics);
        while (attributes.TryRead(out int number, out ReadOnlySpan<byte> value))
        {
            if (number == GenStats.TCA_STATS_BASIC && MemoryMarshal.TryRead(value, out gnet_stats_basic passed))
            {
                packets = passed.packets;
            }
            else if (number == GenStats.TCA_STATS_PKT64 && MemoryMarshal.TryRead(value, out long all))
            {
                packets64 = all;
            }
            else if (number == GenStats.TCA_STATS_QUEUE && MemoryMarshal.TryRead(value, out gnet_stats_queue held))
            {
                counters = counters with
                {
                    Drops = held.drops,
                    Overlimits = held.overlimits,
                    Requeues = held.requeues,
                    Qlen = held.qlen,
                    BacklogBytes = held.backlog,
                };
            }
        }

        return counters with { Packets = packets64 ?? packets };
    }
}
