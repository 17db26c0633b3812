using System.Net;
using System.Runtime.InteropServices;
using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Reading.Probing;

namespace Spate.Tests.HostTuning.Reading.Probing;

public sealed class RouteFactsTests
{
    // What "ip route get fibmatch" is answered for a route with two next hops (Linux 6.18): the routers are 10.9.0.2
    // and 10.9.0.3.
    private static readonly byte[] TwoHops = Message(
    [
        .. Attribute(RtNetlink.RTA_DST, [10, 9, 8, 0]),
        .. Attribute(RtNetlink.RTA_MULTIPATH, [.. Hop([10, 9, 0, 2]), .. Hop([10, 9, 0, 3])]),
    ]);

    [Fact]
    public void Parse_Reply_CountsNextHopsAndSeesRouters()
    {
        byte[] one = Message(
            [.. Attribute(RtNetlink.RTA_GATEWAY, [10, 9, 0, 2]), .. Attribute(RtNetlink.RTA_OIF, [2, 0, 0, 0])]);
        byte[] direct = Message(Attribute(RtNetlink.RTA_OIF, [2, 0, 0, 0]));

        Assert.Equal(new RouteFacts(2, IsOnLink: false), RouteFacts.Parse(TwoHops));
        Assert.Equal(new RouteFacts(1, IsOnLink: false), RouteFacts.Parse(one));
        Assert.Equal(new RouteFacts(1, IsOnLink: true), RouteFacts.Parse(direct));
        Assert.Null(RouteFacts.Parse([]));
    }

    [Fact]
    public void Parse_CutOrChangedReply_DoesNotThrow()
    {
        int seed = Environment.TickCount;
        var random = new Random(seed);
        for (int length = 0; length < TwoHops.Length; length++) _ = RouteFacts.Parse(TwoHops.AsSpan(0, length));

        for (int i = 0; i < 20_000; i++)
        {
            byte[] changed = [.. TwoHops];
            for (int n = 0; n < 4; n++) changed[random.Next(changed.Length)] = (byte)random.Next(256);
            RouteFacts? found = RouteFacts.Parse(changed);
            Assert.True(found is null || found.NextHopCount is >= 1 and <= 32, $"seed {seed}");
        }
    }

    [Fact]
    public void Read_Loopback_IsOneHopWithoutARouter()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "rtnetlink(7) is Linux's");

        Assert.Equal(new RouteFacts(1, IsOnLink: true), RouteFacts.Read(IPAddress.Loopback, "/"));
    }

    private static byte[] Hop(byte[] router)
    {
        byte[] attribute = Attribute(RtNetlink.RTA_GATEWAY, router);
        var head = new rtnexthop { rtnh_len = (ushort)(8 + attribute.Length), rtnh_ifindex = 2 };
        return [.. MemoryMarshal.AsBytes(new Span<rtnexthop>(ref head)), .. attribute];
    }

    private static byte[] Attribute(int number, byte[] value)
    {
        var head = new nlattr { nla_len = (ushort)(4 + value.Length), nla_type = (ushort)number };
        return [.. MemoryMarshal.AsBytes(new Span<nlattr>(ref head)), .. value];
    }

    private static byte[] Message(byte[] attributes)
    {
        var route = new rtmsg { rtm_family = 2, rtm_dst_len = 24 };
        var head = new nlmsghdr { nlmsg_len = (uint)(28 + attributes.Length), nlmsg_type = RtNetlink.RTM_NEWROUTE };
        return
        [
            .. MemoryMarshal.AsBytes(new Span<nlmsghdr>(ref head)),
            .. MemoryMarshal.AsBytes(new Span<rtmsg>(ref route)),
            .. attributes,
        ];
    }
}
