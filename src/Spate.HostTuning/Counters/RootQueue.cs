using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.KernelMessages;

namespace Spate.HostTuning.Counters;

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

            RootQueue one = Parse(queue, payload[Unsafe.SizeOf<tcmsg>()..]);
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

    private static RootQueue Parse(tcmsg queue, ReadOnlySpan<byte> bytes)
    {
        ReadOnlySpan<byte> kind = default;
        ReadOnlySpan<byte> options = default;
        var attributes = new NetlinkAttributes(bytes);
        while (attributes.TryRead(out int number, out ReadOnlySpan<byte> value))
        {
            if (number == RtNetlink.TCA_KIND) kind = FileText.BeforeNul(value);
            if (number == RtNetlink.TCA_OPTIONS) options = value;
        }

        return new RootQueue(
            queue.tcm_ifindex,
            FileText.Escape(kind[..Math.Min(kind.Length, If.IFNAMSIZ - 1)]),
            queue.tcm_handle == 0,
            "",
            $"{queue.tcm_handle >> 16:x}:{DigestOf(options):x8}");
    }
}
