using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Reading.KernelMessages;

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
        int attributeBytes = Unsafe.SizeOf<nlattr>() + name.Length + 1;
        Span<byte> request = stackalloc byte[at + Unsafe.SizeOf<nlattr>() + If.IFNAMSIZ];
        request.Clear();
        if (name.IsEmpty) return Ask(Netlink.NLM_F_DUMP, request[..at]);
        if (name.Length >= If.IFNAMSIZ) return default;

        var attribute = new nlattr { nla_len = (ushort)attributeBytes, nla_type = IfLink.IFLA_IFNAME };
        MemoryMarshal.Write(request[at..], in attribute);
        name.CopyTo(request[(at + Unsafe.SizeOf<nlattr>())..]);
        return Ask(0, request[..(at + attributeBytes)]);
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
        int kindBytes = Encoding.ASCII.GetBytes(kind, body[(at + Unsafe.SizeOf<nlattr>())..]);
        int attributeBytes = Unsafe.SizeOf<nlattr>() + kindBytes + 1;
        var attribute = new nlattr { nla_len = (ushort)attributeBytes, nla_type = RtNetlink.TCA_KIND };
        MemoryMarshal.Write(body[at..], in attribute);
        return Tell(
            RtNetlink.RTM_NEWQDISC, Netlink.NLM_F_CREATE | Netlink.NLM_F_REPLACE, body[..(at + attributeBytes)]);
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
