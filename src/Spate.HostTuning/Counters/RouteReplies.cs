using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.HostTuning.Interop.Linux;

namespace Spate.HostTuning.Counters;

/// <summary>
/// The kernel's replies about interfaces and queueing disciplines (rtnetlink(7)), for the network namespace of the
/// thread that made this. A reply that cannot be had is empty.
/// </summary>
/// <remarks>
/// Counters of interfaces stand in <c>/sys/class/net</c> too, but there they are those of the namespace that
/// <c>/sys</c> was mounted in, which need not be the one that the sockets of this process are in.
/// </remarks>
internal sealed class RouteReplies(string rootPath) : IDisposable
{
    // Some 700 interfaces.
    private const int MaxReplyBytes = 1024 * 1024;

    private readonly NetlinkReplies _replies = new(Netlink.NETLINK_ROUTE, MaxReplyBytes, rootPath);

    /// <summary>One interface, or all. Below another root than <c>/</c> all: <c>netlink/links</c>.</summary>
    /// <param name="name">Bytes of UTF-8; empty for all.</param>
    /// <returns>Messages of the kernel, valid until the next call.</returns>
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

    /// <summary>
    /// The queueing disciplines of all interfaces: the kernel lists them in no other way. Recorded:
    /// <c>netlink/queues</c>.
    /// </summary>
    /// <returns>Messages of the kernel, valid until the next call.</returns>
    public ReadOnlySpan<byte> ReadQueues() => _replies.Ask(
        "queues", RtNetlink.RTM_GETQDISC, Netlink.NLM_F_DUMP, stackalloc byte[Unsafe.SizeOf<tcmsg>()]);

    public void Dispose() => _replies.Dispose();

    private ReadOnlySpan<byte> Ask(int flags, scoped ReadOnlySpan<byte> request) =>
        _replies.Ask("links", RtNetlink.RTM_GETLINK, flags, request);
}
