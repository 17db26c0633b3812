using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>Groups, on the loopback interface only.</summary>
public abstract partial class DatagramContract
{
    [Fact]
    public void MulticastOptions_DualStack_HoldForBothFamilies()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the numbers are those of Linux");
        RequireIPv6();
        const int solIP = 0, multicastTtl = 33, multicastLoop = 34;
        UdpSocket socket = Bind(UdpEndPoint.IPv6Any(0));
        byte[] value = new byte[4];

        socket.MulticastTimeToLive = 7;
        socket.MulticastLoopback = false;

        Assert.Equal((7, false), (socket.MulticastTimeToLive, socket.MulticastLoopback));
        socket.GetRawSocketOption(solIP, multicastTtl, value);
        Assert.Equal(7, value[0]);
        socket.GetRawSocketOption(solIP, multicastLoop, value);
        Assert.Equal(0, value[0]);
    }

    /// <summary>A group of this test's own.</summary>
    private readonly UdpAddress _group =
        new([239, 255, (byte)Random.Shared.Next(256), (byte)Random.Shared.Next(256)]);

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task JoinMulticast_OnLoopback_HearsTheGroupUntilItLeaves(Form form)
    {
        int loopback = RequireMulticastOnLoopback();
        UdpSocket receiver = Bind(UdpEndPoint.Any(0));
        UdpSocket sender = BindLoopback();
        sender.SetMulticastInterface(loopback);
        sender.MulticastLoopback = true;
        UdpEndPoint group = new(_group, receiver.LocalEndPoint.Port);

        receiver.JoinMulticastGroup(_group, loopback);
        await SendPayloadsAsync(form, sender, group, Payloads.Same(3, 70));
        List<Incoming> received = await ReceiveAllAsync(form, receiver, 3);
        receiver.LeaveMulticastGroup(_group, loopback);
        await SendPayloadsAsync(form, sender, group, [1]);
        await SendPayloadsAsync(form, sender, UdpEndPoint.Loopback(group.Port), [2]);

        Assert.Equal(Payloads.Same(3, 70), received.Select(datagram => datagram.Payload));
        Assert.All(received, datagram => Assert.Equal(sender.LocalEndPoint, datagram.Peer));
        Assert.Equal([[2]], await ReceivePayloadsAsync(form, receiver, 1));
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task JoinMulticast_InterfaceOfTheRoute_HearsTheGroupUntilItLeaves(Form form)
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = Bind(UdpEndPoint.Any(0));
        UdpEndPoint group = new(_group, receiver.LocalEndPoint.Port);
        RequireRouteByLoopback(group);

        receiver.JoinMulticastGroup(_group);
        await SendPayloadsAsync(form, sender, group, Payloads.Same(3, 70));
        List<Incoming> received = await ReceiveAllAsync(form, receiver, 3);
        receiver.LeaveMulticastGroup(_group);
        await SendPayloadsAsync(form, sender, group, [1]);
        await SendPayloadsAsync(form, sender, UdpEndPoint.Loopback(group.Port), [2]);

        Assert.Equal(Payloads.Same(3, 70), received.Select(datagram => datagram.Payload));
        Assert.All(received, datagram => Assert.Equal(sender.LocalEndPoint, datagram.Peer));
        Assert.Equal([[2]], await ReceivePayloadsAsync(form, receiver, 1));
    }

    [Fact]
    public async Task JoinMulticast_ByAnotherSocket_IsNotHeard()
    {
        int loopback = RequireMulticastOnLoopback();
        UdpSocket receiver = Bind(UdpEndPoint.Any(0));
        UdpSocket member = Bind(UdpEndPoint.Any(0));
        UdpSocket sender = BindLoopback();
        sender.SetMulticastInterface(loopback);
        member.JoinMulticastGroup(_group, loopback);

        await SendPayloadsAsync(Form.Batch, sender, new(_group, receiver.LocalEndPoint.Port), [1]);
        await SendPayloadsAsync(Form.Batch, sender, new(_group, member.LocalEndPoint.Port), [2]);
        await SendPayloadsAsync(Form.Batch, sender, UdpEndPoint.Loopback(receiver.LocalEndPoint.Port), [3]);

        Assert.Equal([[2]], await ReceivePayloadsAsync(Form.Batch, member, 1));
        Assert.Equal([[3]], await ReceivePayloadsAsync(Form.Batch, receiver, 1));
    }

    [Fact]
    public async Task JoinMulticast_WithSource_HearsThatSenderOnly()
    {
        int loopback = RequireMulticastOnLoopback();
        UdpSocket receiver = Bind(UdpEndPoint.Any(0));
        UdpSocket wanted = Bind(new(IPAddress.Parse("127.0.0.21"), 0));
        UdpSocket other = Bind(new(IPAddress.Parse("127.0.0.22"), 0));
        wanted.SetMulticastInterface(loopback);
        other.SetMulticastInterface(loopback);
        UdpEndPoint group = new(NewSourceGroup(), receiver.LocalEndPoint.Port);

        receiver.JoinMulticastGroup(group.Address, loopback, wanted.LocalEndPoint.Address);
        await SendPayloadsAsync(Form.Batch, other, group, [1]);
        await SendPayloadsAsync(Form.Batch, wanted, group, [2]);
        List<Incoming> received = await ReceiveAllAsync(Form.Batch, receiver, 1);
        receiver.LeaveMulticastGroup(group.Address, loopback, wanted.LocalEndPoint.Address);
        await SendPayloadsAsync(Form.Batch, wanted, group, [3]);
        await SendPayloadsAsync(Form.Batch, wanted, UdpEndPoint.Loopback(group.Port), [4]);

        Assert.Equal(wanted.LocalEndPoint, received[0].Peer);
        Assert.Equal([2], received[0].Payload);
        Assert.Equal([[4]], await ReceivePayloadsAsync(Form.Batch, receiver, 1));
    }

    [Fact]
    public async Task TryReserveReply_AskedThroughAGroup_IsAnsweredFromAnOwnAddress()
    {
        int loopback = RequireMulticastOnLoopback();
        if (!TryBindWith(UdpMetadata.LocalAddress, UdpEndPoint.Any(0), out UdpSocket server)) return;
        server.JoinMulticastGroup(_group, loopback);
        UdpSocket client = BindLoopback();
        client.SetMulticastInterface(loopback);
        await SendPayloadsAsync(
            Form.Batch, client, new(_group, server.LocalEndPoint.Port), Payloads.Make(8, 5));

        AnswerAll(server, 1);

        Incoming answer = (await ReceiveAllAsync(Form.Batch, client, 1))[0];
        Assert.Equal(UdpEndPoint.Loopback(server.LocalEndPoint.Port), answer.Peer);
    }

    [Fact]
    public void JoinMulticast_NotAGroupOrOtherFamily_IsAnArgumentError()
    {
        UdpSocket socket = BindLoopback();

        Assert.Throws<ArgumentException>(() => socket.JoinMulticastGroup(UdpAddress.Loopback));
        Assert.Throws<ArgumentException>(() => socket.JoinMulticastGroup(UdpAddress.Parse("ff02::7777")));
        foreach (int index in new[] { 0, -1 })
        {
            Assert.Throws<ArgumentOutOfRangeException>(() => socket.JoinMulticastGroup(_group, index));
            Assert.Throws<ArgumentOutOfRangeException>(() => socket.LeaveMulticastGroup(_group, index));
            Assert.Throws<ArgumentOutOfRangeException>(() => socket.SetMulticastInterface(index));
            Assert.Throws<ArgumentOutOfRangeException>(() => new SendControl { InterfaceIndex = index });
        }
        socket.SetMulticastInterface(null);
        Assert.Throws<ArgumentException>(() => socket.JoinMulticastGroup(default));
    }

    [Theory, InlineData(false), InlineData(true)]
    public void MulticastOptions_Set_AreKept(bool isIPv6)
    {
        if (isIPv6) RequireIPv6();
        UdpSocket socket = Bind(isIPv6 ? UdpEndPoint.IPv6Loopback(0) : UdpEndPoint.Loopback(0));
        Assert.Equal((true, 1), (socket.MulticastLoopback, socket.MulticastTimeToLive));

        socket.MulticastLoopback = false;
        socket.MulticastTimeToLive = 9;

        Assert.Equal((false, 9), (socket.MulticastLoopback, socket.MulticastTimeToLive));
        Assert.Throws<ArgumentOutOfRangeException>(() => socket.MulticastTimeToLive = 256);
    }

    /// <summary>A group of this test's own for one source (RFC 4607: 232.0.0.0/8 without 232.0.0.0/24).</summary>
    private static UdpAddress NewSourceGroup() =>
        new([232, (byte)Random.Shared.Next(1, 256), (byte)Random.Shared.Next(256), (byte)Random.Shared.Next(256)]);

    // Elsewhere the report of the membership would leave the machine (IGMP).
    private void RequireRouteByLoopback(UdpEndPoint group)
    {
        bool isLoopback = false;
        try
        {
            isLoopback = Connect(group).LocalEndPoint.Address.IsLoopback;
        }
        catch (SocketException)
        {
            // No route at all.
        }

        Assert.SkipUnless(isLoopback, "the route to groups is not by the loopback interface");
    }

    /// <summary>The index of the loopback interface, where the system lets a group be reached through it.</summary>
    private int RequireMulticastOnLoopback()
    {
        Wine.SkipFor("group-interface-index");
        int loopback = NetworkInterface.LoopbackInterfaceIndex;
        UdpSocket probe = BindLoopback();
        probe.SetMulticastInterface(loopback);
        SendResult result = probe.SendTo([0], new UdpEndPoint(_group, 9));
        Assert.SkipUnless(result.Sent == 1, $"sending to a group through the loopback interface: {result.FirstError}");
        return loopback;
    }
}
