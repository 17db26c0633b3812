using System.Net.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>IPv4, IPv6, and both through one socket.</summary>
public abstract partial class DatagramContract
{
    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public Task Transfer_IPv4_ArrivesWithPeerAndBytes(Form form) => TransferAsync(form, UdpEndPoint.Loopback(0));

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public Task Transfer_IPv6_ArrivesWithPeerAndBytes(Form form)
    {
        RequireIPv6();
        return TransferAsync(form, UdpEndPoint.IPv6Loopback(0));
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Transfer_DualStackSocket_SeesAndAnswersBothFamilies(Form form)
    {
        RequireIPv6();
        UdpSocket dual = Bind(UdpEndPoint.IPv6Any(0));
        UdpSocket v4 = BindLoopback();
        UdpSocket v6 = Bind(UdpEndPoint.IPv6Loopback(0));
        int port = dual.LocalEndPoint.Port;
        await SendPayloadsAsync(form, v4, UdpEndPoint.Loopback(port), Payloads.Of(10, 20));
        await SendPayloadsAsync(form, v6, UdpEndPoint.IPv6Loopback(port), Payloads.Of(30));
        await SendPayloadsAsync(form, v4, UdpEndPoint.Loopback(port), Payloads.Of(40));

        List<Incoming> asked = await ReceiveAllAsync(form, dual, 4);
        SendResult answered = await SendAllAsync(
            form, dual, asked.Select(datagram => new Outgoing(datagram.Peer, datagram.Payload)));

        Assert.Equal(4, answered.Sent);
        Assert.All(asked, datagram => Assert.Equal(
            datagram.Payload.Length == 30 ? v6.LocalEndPoint : v4.LocalEndPoint, datagram.Peer));
        Assert.All(asked, datagram => Assert.Equal(datagram.Payload.Length != 30, datagram.Peer.IsIPv4));
        List<Incoming> toV4 = await ReceiveAllAsync(form, v4, 3);
        Assert.Equal([10, 20, 40], toV4.Select(datagram => datagram.Payload.Length));
        Assert.All(toV4, datagram => Assert.Equal(UdpEndPoint.Loopback(port), datagram.Peer));
        List<Incoming> toV6 = await ReceiveAllAsync(form, v6, 1);
        Assert.Equal(UdpEndPoint.IPv6Loopback(port), toV6[0].Peer);
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Bind_IPv6Only_HearsAndSendsNoIPv4(Form form)
    {
        RequireIPv6();
        UdpSocket only = Bind(UdpEndPoint.IPv6Any(0), Options(dualStack: false));
        UdpSocket v4 = BindLoopback();
        UdpSocket v6 = Bind(UdpEndPoint.IPv6Loopback(0));
        int port = only.LocalEndPoint.Port;

        await SendPayloadsAsync(form, v4, UdpEndPoint.Loopback(port), Payloads.Of(44));
        await SendPayloadsAsync(form, v6, UdpEndPoint.IPv6Loopback(port), Payloads.Of(66));
        List<Incoming> received = await ReceiveAllAsync(form, only, 1);
        SendResult refused = await SendAllAsync(form, only, [new(v4.LocalEndPoint, [1]), new(v6.LocalEndPoint, [2])]);

        Assert.Equal(v6.LocalEndPoint, received[0].Peer);
        Assert.Equal(66, received[0].Payload.Length);
        Assert.Equal((1, 1, 0), (refused.Sent, refused.Refused, refused.Remaining));
        Assert.NotEqual(SocketError.Success, refused.FirstError);
        Assert.Equal([[2]], await ReceivePayloadsAsync(form, v6, 1));
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Send_PeerOfOtherFamily_IsRefusedAndRestGoesOn(Form form)
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        UdpEndPoint other = UdpEndPoint.IPv6Loopback(9);

        SendResult result = await SendAllAsync(form, sender,
        [
            new(receiver.LocalEndPoint, [1]), new(other, [2]), new(other, [3]), new(receiver.LocalEndPoint, [4]),
        ]);

        Assert.Equal(new SendResult(2, 2, 0, SocketError.AddressFamilyNotSupported, SendStatus.Done), result);
        Assert.False(result.AllSent);
        Assert.Equal([[1], [4]], await ReceivePayloadsAsync(form, receiver, 2));
        Assert.Equal((2, 2), (sender.GetCounters().DatagramsSent, sender.GetCounters().DatagramsRefused));
    }

    private async Task TransferAsync(Form form, UdpEndPoint address)
    {
        UdpSocket sender = Bind(address);
        UdpSocket receiver = Bind(address);
        byte[][] payloads = Payloads.Of(1, 100, 100, 100, 30, 1472);

        await SendPayloadsAsync(form, sender, receiver.LocalEndPoint, payloads);
        List<Incoming> received = await ReceiveAllAsync(form, receiver, payloads.Length);

        Assert.Equal(payloads, received.Select(datagram => datagram.Payload));
        Assert.All(received, datagram => Assert.Equal(sender.LocalEndPoint, datagram.Peer));
        Assert.All(received, datagram => Assert.False(datagram.IsTruncated));
        UdpCounters sent = sender.GetCounters();
        UdpCounters taken = receiver.GetCounters();
        Assert.Equal((6, 1803, 0), (sent.DatagramsSent, sent.BytesSent, sent.DatagramsRefused));
        Assert.Equal((6, 1803, 0), (taken.DatagramsReceived, taken.BytesReceived, taken.DatagramsTruncated));
    }
}
