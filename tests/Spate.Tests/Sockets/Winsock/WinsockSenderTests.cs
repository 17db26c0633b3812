using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Windows;
using Spate.Segmentation;

namespace Spate.Tests.Sockets.Winsock;

/// <summary>The messages that the sender hands to WSASendMsg.</summary>
public sealed class WinsockSenderTests
{
    private const int MaxPieceCount = 64;

    private static readonly UdpEndPoint Peer = UdpEndPoint.Parse("192.0.2.1:9");
    private static readonly UdpEndPoint Other = UdpEndPoint.Parse("192.0.2.2:9");

    private readonly RecordedSends _record = new();

    [Theory]
    [InlineData(512)]
    [InlineData(128)]
    [InlineData(64)]
    public void Send_EqualDatagrams_AsManyInAMessageAsTheSystemTakes(int maxSegmentCount)
    {
        const int count = 1100;
        using UdpSocket socket = _record.Bind(maxSegmentCount);
        using SendBatch batch = socket.CreateSendBatch(new SendBatchOptions { Capacity = count });
        for (int i = 0; i < count; i++) NumberedBatch.Add(batch, Peer, i, 10);

        Assert.Equal(count, socket.Send(batch).Sent);

        int wholeCount = count / maxSegmentCount;
        Assert.Equal(
            [.. Enumerable.Repeat(maxSegmentCount, wholeCount), count % maxSegmentCount],
            _record.Messages.Select(static message => RecordedSends.DatagramsOf(message).Count()));
        Assert.All(
            _record.Messages, static message => Assert.Equal((10, 1), (message.SegmentBytes, message.PieceCount)));
        Assert.Equal(Enumerable.Range(0, count), _record.NumbersTo(Peer));
    }

    [Fact]
    public void Send_LargeDatagrams_StayBelowTheLimitOfBytes()
    {
        using UdpSocket socket = _record.Bind(512);
        using SendBatch batch = socket.CreateSendBatch(new SendBatchOptions { BufferBytes = 200_000 });
        for (int i = 0; i < 100; i++) NumberedBatch.Add(batch, Peer, i, 1400);

        Assert.Equal(100, socket.Send(batch).Sent);

        Assert.Equal([46, 46, 8], _record.Messages.Select(static message => message.Payload.Length / 1400));
        Assert.All(
            _record.Messages, static message => Assert.True(message.Payload.Length <= GsoLimits.DefaultMaxTotalBytes));
    }

    [Fact]
    public void Send_SingleDatagrams_NeverHaveASegmentSize()
    {
        using UdpSocket socket = _record.Bind(512);
        using SendBatch batch = socket.CreateSendBatch();
        foreach (int sizeBytes in (int[])[10, 20, 30, 0, 40]) Reserve(batch, Peer, sizeBytes);

        Assert.Equal(5, socket.Send(batch).Sent);
        Assert.Equal(1, socket.SendTo(new byte[7], Peer).Sent);

        Assert.Equal(
            [(10, 0), (20, 0), (30, 0), (0, 0), (40, 0), (7, 0)],
            _record.Messages.Select(static message => (message.Payload.Length, message.SegmentBytes)));
    }

    [Fact]
    public void Send_ShorterLastDatagram_EndsTheMessage()
    {
        using UdpSocket socket = _record.Bind(512);
        using SendBatch batch = socket.CreateSendBatch();
        foreach (int sizeBytes in (int[])[10, 10, 4, 10]) Reserve(batch, Peer, sizeBytes);

        Assert.Equal(4, socket.Send(batch).Sent);

        Assert.Equal(
            [(24, 10), (10, 0)],
            _record.Messages.Select(static message => (message.Payload.Length, message.SegmentBytes)));
    }

    [Fact]
    public void Send_AlternatingPeers_HaveNoMoreBuffersThanTheStackHolds()
    {
        using UdpSocket socket = _record.Bind(512);
        using SendBatch batch = socket.CreateSendBatch(new SendBatchOptions { Capacity = 400 });
        for (int i = 0; i < 400; i++) NumberedBatch.Add(batch, i % 2 == 0 ? Peer : Other, i, 10);

        Assert.Equal(400, socket.Send(batch).Sent);

        Assert.Equal(MaxPieceCount, _record.Messages.Max(static message => message.PieceCount));
        Assert.Equal(NumberedBatch.TurnOf(0, 2, 0, 400), _record.NumbersTo(Peer));
        Assert.Equal(NumberedBatch.TurnOf(1, 2, 0, 400), _record.NumbersTo(Other));
    }

    [Fact]
    public void Send_ConnectedSocket_NamesNoPeer()
    {
        using UdpSocket socket = _record.Open(AddressFamily.InterNetwork, Peer, 512);
        using SendBatch batch = socket.CreateSendBatch();
        NumberedBatch.Add(batch, default, 0);
        NumberedBatch.Add(batch, Other, 1);

        Assert.Equal(2, socket.Send(batch).Sent);
        Assert.Equal(1, socket.Send("one"u8).Sent);

        Assert.Equal([default, Other, default], _record.Messages.Select(static message => message.Peer));
    }

    [Fact]
    public void Send_IPv6Socket_MapsPeersOfIPv4()
    {
        Assert.SkipUnless(Socket.OSSupportsIPv6, "no IPv6");
        using UdpSocket socket = _record.Open(AddressFamily.InterNetworkV6, default);

        Assert.Equal(1, socket.SendTo("one"u8, Peer).Sent);

        UdpEndPoint name = Assert.Single(_record.Messages).Peer;
        Assert.Equal(AddressFamily.InterNetworkV6, name.AddressFamily);
        Assert.Equal(Peer.ToMapped().NativeBytes.ToArray(), name.NativeBytes.ToArray());
    }

    [Fact]
    public void Send_PeerOfAnotherFamily_IsRefusedWithoutACall()
    {
        using UdpSocket socket = _record.Bind();

        SendResult result = socket.SendTo("one"u8, UdpEndPoint.Parse("[2001:db8::1]:9"));

        Assert.Equal(
            new SendResult(0, 1, 0, SocketError.AddressFamilyNotSupported, SendStatus.Done), result);
        Assert.Empty(_record.Messages);
    }

    [Theory]
    [InlineData(true, 0xB9, Ws2IpDef.IP_TOS)]
    [InlineData(true, 1, Ws2IpDef.IP_TOS)]
    [InlineData(false, 3, Ws2IpDef.IP_ECN)]
    [InlineData(false, 0, Ws2IpDef.IP_ECN)]
    public void Send_TrafficClass_IsTheMessageThatTheSystemTakes(bool takesAll, int trafficClass, int type)
    {
        using UdpSocket socket = _record.Bind(512, takesTrafficClass: takesAll);
        SendControlled(socket, Peer, new SendControl { TrafficClass = trafficClass });

        RecordedMessage message = Assert.Single(_record.Messages);
        Assert.Equal(100, message.SegmentBytes);
        (int Level, int Type, byte[] Data) control = Assert.Single(message.Controls);
        Assert.Equal((Ws2IpDef.IPPROTO_IP, type), (control.Level, control.Type));
        Assert.Equal(BitConverter.GetBytes(trafficClass), control.Data);
    }

    [Fact]
    public void Send_LocalAddressAndInterface_ArePacketInformation()
    {
        using UdpSocket socket = _record.Bind(512);
        SendControlled(
            socket, Peer, new SendControl { LocalAddress = UdpAddress.Parse("198.51.100.7"), InterfaceIndex = 5 });

        (int Level, int Type, byte[] Data) control = Assert.Single(Assert.Single(_record.Messages).Controls);
        Assert.Equal((Ws2IpDef.IPPROTO_IP, Ws2IpDef.IP_PKTINFO), (control.Level, control.Type));
        Assert.Equal([198, 51, 100, 7, 5, 0, 0, 0], control.Data);
    }

    [Fact]
    public void Send_IPv6LocalAddress_IsPacketInformationOfIPv6()
    {
        Assert.SkipUnless(Socket.OSSupportsIPv6, "no IPv6");
        using UdpSocket socket = _record.Open(AddressFamily.InterNetworkV6, default, 512);
        UdpEndPoint peer = UdpEndPoint.Parse("[2001:db8::1]:9");
        UdpAddress local = UdpAddress.Parse("fe80::7%4");
        SendControlled(socket, peer, new SendControl { LocalAddress = local, TrafficClass = 2 });

        RecordedMessage message = Assert.Single(_record.Messages);
        Assert.Equal(
            [(Ws2IpDef.IPPROTO_IPV6, Ws2IpDef.IPV6_TCLASS), (Ws2IpDef.IPPROTO_IPV6, Ws2IpDef.IPV6_PKTINFO)],
            message.Controls.Select(static control => (control.Level, control.Type)));
        Span<byte> address = stackalloc byte[16];
        Assert.True(local.TryWriteBytes(address, out _));
        Assert.Equal([.. address, 4, 0, 0, 0], message.Controls[1].Data);
    }

    [Fact]
    public void Send_IPv4PeerOfIPv6Socket_HasPacketInformationOfIPv4()
    {
        Assert.SkipUnless(Socket.OSSupportsIPv6, "no IPv6");
        using UdpSocket socket = _record.Open(AddressFamily.InterNetworkV6, default);
        SendControlled(socket, Peer, new SendControl { InterfaceIndex = 3 });

        Assert.All(_record.Messages, static message => Assert.Equal(
            (Ws2IpDef.IPPROTO_IP, Ws2IpDef.IP_PKTINFO),
            (Assert.Single(message.Controls).Level, message.Controls[0].Type)));
    }

    public static TheoryData<SendControl, string> Refused => new()
    {
        { new SendControl { TrafficClass = 4 }, "traffic class" },
        { new SendControl { TimeToLive = 1 }, "TTL" },
        { new SendControl { TransmitTimeMonotonicNanoseconds = 1 }, "time" },
    };

    [Theory]
    [MemberData(nameof(Refused))]
    public void Send_ControlThatWindowsLacks_ThrowsBeforeAnythingIsSent(SendControl control, string lack)
    {
        using UdpSocket socket = _record.Bind(512, takesTrafficClass: false);
        using SendBatch batch = socket.CreateSendBatch();
        NumberedBatch.Add(batch, Peer, 0);
        Reserve(batch, Peer, 3, control);

        PlatformNotSupportedException fault =
            Assert.Throws<PlatformNotSupportedException>(() => socket.Send(batch));

        Assert.StartsWith($"The backends Winsock and Rio cannot give a datagram a {lack}", fault.Message);
        Assert.Empty(_record.Messages);
        Assert.Equal(2, batch.Count);
    }

    private static void Reserve(SendBatch batch, UdpEndPoint peer, int sizeBytes, SendControl control = default)
    {
        Assert.True(batch.TryReserve(peer, control, sizeBytes, out Span<byte> payload));
        payload.Clear();
    }

    private static void SendControlled(UdpSocket socket, UdpEndPoint peer, in SendControl control)
    {
        using SendBatch batch = socket.CreateSendBatch();
        for (int i = 0; i < 2; i++) Reserve(batch, peer, NumberedBatch.SizeBytes, control);
        Assert.Equal(2, socket.Send(batch).Sent);
    }
}
