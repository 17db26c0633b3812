using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.HostTuning.Interop.Linux;

namespace Spate.HostTuning.Reading.Probing;

/// <summary>The kernel's route to an address.</summary>
internal sealed record RouteFacts(int NextHopCount, bool IsOnLink)
{
    private const int MaxReplyBytes = 64 * 1024;
    private const int AddressFamilyInternet6 = 10;
    private const int AddressFamilyInternet = 2;

    public static RouteFacts? Read(IPAddress target, string rootPath)
    {
        bool isIpv6 = target.AddressFamily == AddressFamily.InterNetworkV6;
        byte[] address = target.GetAddressBytes();
        int headBytes = Unsafe.SizeOf<rtmsg>();
        Span<byte> body = stackalloc byte[headBytes + (2 * Unsafe.SizeOf<nlattr>()) + 16 + sizeof(int)];
        body.Clear();
        var head = new rtmsg
        {
            rtm_family = (byte)(isIpv6 ? AddressFamilyInternet6 : AddressFamilyInternet),
            rtm_dst_len = (byte)(8 * address.Length),
            rtm_flags = RtNetlink.RTM_F_FIB_MATCH,
        };
        MemoryMarshal.Write(body, in head);
        int bytes = headBytes + NetlinkAttributes.Write(body[headBytes..], RtNetlink.RTA_DST, address);
        if (isIpv6 && target.ScopeId != 0)
        {
            bytes += NetlinkAttributes.Write(
                body[bytes..], RtNetlink.RTA_OIF, BitConverter.GetBytes((int)target.ScopeId));
        }

        using var replies = new NetlinkReplies(Netlink.NETLINK_ROUTE, MaxReplyBytes, rootPath);
        return Parse(replies.Ask(isIpv6 ? "route6" : "route", RtNetlink.RTM_GETROUTE, 0, body[..bytes]));
    }

    public static RouteFacts? Parse(ReadOnlySpan<byte> reply)
    {
        var messages = new NetlinkMessages(reply);
        while (messages.TryRead(out nlmsghdr header, out ReadOnlySpan<byte> payload))
        {
            int headBytes = Unsafe.SizeOf<rtmsg>();
            if (header.nlmsg_type != RtNetlink.RTM_NEWROUTE || payload.Length < headBytes) continue;

            int hops = 0;
            bool hasRouter = false;
            var attributes = new NetlinkAttributes(payload[headBytes..]);
            while (attributes.TryRead(out int number, out ReadOnlySpan<byte> value))
            {
                if (IsRouter(number)) hasRouter = true;
                if (number == RtNetlink.RTA_MULTIPATH) hops = CountHops(value, ref hasRouter);
            }

            return new RouteFacts(Math.Max(1, hops), !hasRouter);
        }

        return null;
    }

    private static bool IsRouter(int attribute) => attribute is RtNetlink.RTA_GATEWAY or RtNetlink.RTA_VIA;

    private static int CountHops(ReadOnlySpan<byte> hops, ref bool hasRouter)
    {
        int count = 0;
        int headBytes = Unsafe.SizeOf<rtnexthop>();
        while (MemoryMarshal.TryRead(hops, out rtnexthop hop)
            && hop.rtnh_len >= headBytes && hop.rtnh_len <= hops.Length)
        {
            count++;
            var attributes = new NetlinkAttributes(hops[headBytes..hop.rtnh_len]);
            while (attributes.TryRead(out int number, out _)) hasRouter |= IsRouter(number);

            hops = NetlinkMessages.After(hops, hop.rtnh_len);
        }

        return count;
    }
}
