using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Reading;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Counters;

/// <summary>
/// The kernel's replies about interfaces and queueing disciplines (rtnetlink(7)), for the network namespace of the
/// thread that made this. A reply that cannot be had is empty. Counters of interfaces stand in <c>/sys/class/net</c>
/// too, but there they are those of the namespace that <c>/sys</c> was mounted in, which need not be the one that the
/// sockets of this process are in.
/// </summary>
internal sealed class RouteReplies(string rootPath) : IDisposable
{
    // Some 700 interfaces.
    private const int MaxReplyBytes = 1024 * 1024;
    private const int OperationNotSupported = 95;

    private readonly NetlinkReplies _replies = new(Netlink.NETLINK_ROUTE, MaxReplyBytes, rootPath);

    /// <summary><c>name</c>: UTF-8; empty for all. The reply is valid until the next call.</summary>
    public ReadOnlySpan<byte> ReadLinks(ReadOnlySpan<byte> name)
    {
        int at = Unsafe.SizeOf<ifinfomsg>();
        Span<byte> request = stackalloc byte[at + Unsafe.SizeOf<nlattr>() + If.IFNAMSIZ];
        request.Clear();
        if (name.IsEmpty) return Ask(Netlink.NLM_F_DUMP, request[..at]);
        if (name.Length >= If.IFNAMSIZ) return default;

        int bytes = NetlinkAttributes.Write(request[at..], IfLink.IFLA_IFNAME, name, endsInNul: true);
        return Ask(0, request[..(at + bytes)]);
    }

    /// <summary>All interfaces': the kernel lists them in no other way. Valid until the next call.</summary>
    public ReadOnlySpan<byte> ReadQueues() => _replies.Ask(
        "queues", RtNetlink.RTM_GETQDISC, Netlink.NLM_F_DUMP, stackalloc byte[Unsafe.SizeOf<tcmsg>()]);

    /// <summary>Returns the kernel's error number; 0 for none.</summary>
    public int SetRootQueue(int index, string kind)
    {
        int at = Unsafe.SizeOf<tcmsg>();
        Span<byte> body = stackalloc byte[at + Unsafe.SizeOf<nlattr>() + If.IFNAMSIZ];
        body.Clear();
        WriteRoot(body, index);
        int bytes = NetlinkAttributes.Write(
            body[at..], RtNetlink.TCA_KIND, Encoding.ASCII.GetBytes(kind), endsInNul: true);
        return Tell(RtNetlink.RTM_NEWQDISC, Netlink.NLM_F_CREATE | Netlink.NLM_F_REPLACE, body[..(at + bytes)]);
    }

    /// <summary>The kernel gives the interface the default one. Returns its error number; 0 for none.</summary>
    public int RemoveRootQueue(int index)
    {
        Span<byte> body = stackalloc byte[Unsafe.SizeOf<tcmsg>()];
        WriteRoot(body, index);
        return Tell(RtNetlink.RTM_DELQDISC, 0, body);
    }

    public void Dispose() => _replies.Dispose();

    private static void WriteRoot(Span<byte> body, int index)
    {
        var queue = new tcmsg { tcm_ifindex = index, tcm_parent = PktSched.TC_H_ROOT };
        MemoryMarshal.Write(body, in queue);
    }

    private ReadOnlySpan<byte> Ask(int flags, scoped ReadOnlySpan<byte> request) =>
        _replies.Ask("links", RtNetlink.RTM_GETLINK, flags, request);

    // The answer is a message of NLMSG_ERROR, whose first number is the error's with a minus, or 0 (netlink(7)). There
    // is none below another root.
    private int Tell(int type, int flags, scoped ReadOnlySpan<byte> body)
    {
        var messages = new NetlinkMessages(_replies.Ask("changes", type, flags | Netlink.NLM_F_ACK, body));
        while (messages.TryRead(out nlmsghdr header, out ReadOnlySpan<byte> payload))
        {
            bool isAnswer = header.nlmsg_type == Netlink.NLMSG_ERROR;
            if (isAnswer && MemoryMarshal.TryRead(payload, out int error)) return -error;
        }

        return OperationNotSupported;
    }
}

/// <summary>Reads the counters of interfaces from the replies to RTM_GETLINK: pure.</summary>
internal static class LinkParser
{
    // What kernels before 4.6 send: everything ahead of rx_nohandler.
    private const int OldStatisticsBytes = 23 * sizeof(ulong);

    // Of the rows: their names are the kernel's.
    private static readonly int[] Offsets =
        [.. CounterTable.Interface.Select(static row => (int)Marshal.OffsetOf<rtnl_link_stats64>(row.Name))];

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
        ReadOnlySpan<byte> name = FileText.BeforeNul(NetlinkAttributes.Find(bytes, IfLink.IFLA_IFNAME));
        bool isNamed = name.Length is > 0 and < If.IFNAMSIZ && (wanted.IsEmpty || name.SequenceEqual(wanted));
        if (!isNamed) return null;

        var counters = new InterfaceCounters(FileText.Escape(name), index);
        ReadOnlySpan<byte> statistics = NetlinkAttributes.Find(bytes, IfLink.IFLA_STATS64);
        if (statistics.Length < OldStatisticsBytes) return counters;

        for (int i = 0; i < Offsets.Length; i++)
        {
            ReadOnlySpan<byte> rest = statistics[Math.Min(Offsets[i], statistics.Length)..];
            if (MemoryMarshal.TryRead(rest, out long count)) CounterTable.Interface[i].Set(ref counters, count);
        }

        return counters;
    }
}

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
        string parent = queue.tcm_parent == PktSched.TC_H_ROOT
            ? QueueCounters.RootParent
            : $"{queue.tcm_parent >> 16:x}:{queue.tcm_parent & PktSched.TC_H_MIN_MASK:x}";
        var counters = new QueueCounters(interfaceName, KindOf(bytes), $"{queue.tcm_handle >> 16:x}:", parent);
        ReadOnlySpan<byte> statistics = NetlinkAttributes.Find(bytes, RtNetlink.TCA_STATS2);
        counters.Packets = Read(statistics, GenStats.TCA_STATS_PKT64, out long all) ? all
            : Read(statistics, GenStats.TCA_STATS_BASIC, out gnet_stats_basic passed) ? passed.packets
            : null;
        if (Read(statistics, GenStats.TCA_STATS_QUEUE, out gnet_stats_queue held))
        {
            counters.Drops = held.drops;
            counters.Overlimits = held.overlimits;
            counters.Requeues = held.requeues;
            counters.Qlen = held.qlen;
            counters.BacklogBytes = held.backlog;
        }

        return counters;
    }

    public static string KindOf(ReadOnlySpan<byte> attributes)
    {
        ReadOnlySpan<byte> kind = FileText.BeforeNul(NetlinkAttributes.Find(attributes, RtNetlink.TCA_KIND));
        return FileText.Escape(kind[..Math.Min(kind.Length, MaxKindBytes)]);
    }

    private static bool Read<T>(ReadOnlySpan<byte> statistics, int number, out T value)
        where T : unmanaged => MemoryMarshal.TryRead(NetlinkAttributes.Find(statistics, number), out value);
}

/// <summary>The queueing discipline that an interface sends through.</summary>
/// <param name="IsDefault">
/// Whether the kernel made it, and those below it, by itself: such ones have the handle 0, and options that nobody can
/// change (tc_modify_qdisc of the kernel makes a new discipline for a change). Removing another one brings it back.
/// </param>
/// <param name="ChildKind">Below each queue of the card; empty for none, several for different ones.</param>
/// <param name="Mark">The handle and a digest of the options of a discipline that somebody made.</param>
internal sealed record RootQueue(int Index, string Kind, bool IsDefault, string ChildKind, string Mark)
{
    public static RootQueue? Read(RouteReplies replies, string name)
    {
        int index = ReadIndex(replies, name);
        if (index <= 0) return null;

        RootQueue? root = null;
        var childKinds = new SortedSet<string>(StringComparer.Ordinal);
        bool isDefault = true;
        var messages = new NetlinkMessages(replies.ReadQueues());
        while (messages.TryRead(out nlmsghdr header, out ReadOnlySpan<byte> payload))
        {
            if (header.nlmsg_type != RtNetlink.RTM_NEWQDISC || !MemoryMarshal.TryRead(payload, out tcmsg queue)
                || queue.tcm_ifindex != index)
            {
                continue;
            }

            ReadOnlySpan<byte> attributes = payload[Unsafe.SizeOf<tcmsg>()..];
            uint digest = DigestOf(NetlinkAttributes.Find(attributes, RtNetlink.TCA_OPTIONS));
            var one = new RootQueue(
                index,
                QueueParser.KindOf(attributes),
                queue.tcm_handle == 0,
                "",
                $"{queue.tcm_handle >> 16:x}:{digest:x8}");
            if (queue.tcm_parent == PktSched.TC_H_ROOT) root = one;
            else if (queue.tcm_parent < PktSched.TC_H_INGRESS) childKinds.Add(one.Kind);

            isDefault &= one.IsDefault || queue.tcm_parent >= PktSched.TC_H_INGRESS;
        }

        return root is null
            ? null
            : root with { IsDefault = root.IsDefault && isDefault, ChildKind = string.Join('+', childKinds) };
    }

    private static int ReadIndex(RouteReplies replies, string name)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(name);
        var interfaces = new List<InterfaceCounters>();
        LinkParser.Add(replies.ReadLinks(bytes), bytes, maxCount: 1, interfaces);
        return interfaces.Count > 0 ? interfaces[0].Index : 0;
    }

    // FNV-1a. It distinguishes options that an administrator set, and nobody gains by two that look alike.
    private static uint DigestOf(ReadOnlySpan<byte> options)
    {
        uint digest = 2_166_136_261;
        foreach (byte one in options) digest = unchecked((digest ^ one) * 16_777_619);
        return digest;
    }
}
