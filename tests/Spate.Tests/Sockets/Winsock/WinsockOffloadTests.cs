using System.Net;
using System.Net.Sockets;
using Spate.Interop.Windows;
using Spate.Sockets;
using Spate.Sockets.Portable;
using Spate.Sockets.Winsock;
using Spate.StandIn;

namespace Spate.Tests.Sockets.Winsock;

/// <summary>Segmented send and coalesced receive by the calls of Windows, against the stand-in for Wine.</summary>
[OverStandIn("segmented send and coalesced receive")]
public sealed class WinsockOffloadTests : IDisposable
{
    private const int DatagramCount = 90;
    private const int MaxSegmentCount = 512;

    private readonly NumberedPeer _peer = new("0.0.0.0");

    public WinsockOffloadTests()
    {
        Assert.SkipUnless(WinsockModel.IsNamed, "test.sh --windows runs it over the stand-in");
        WinsockModel.Reset();
    }

    public void Dispose()
    {
        _peer.Dispose();
        if (WinsockModel.IsNamed) WinsockModel.Reset();
    }

    [Theory]
    [InlineData(512, "512 datagrams in 1 message out")]
    [InlineData(500, "128 datagrams in 1 message out")]
    [InlineData(64, "64 datagrams in 1 message out")]
    public void SegmentedSend_LimitOfTheSystem_IsFound(int limit, string expected)
    {
        WinsockModel.Set("segment_limit", limit);

        Assert.Null(WinsockProbe.SegmentedSend(out string seen));

        Assert.Equal(expected, seen);
        Assert.StartsWith($"{WinsockProbe.MaxSegmentCount} ", expected, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("segment_limit", 63, "a message of 64 datagrams was refused")]
    [InlineData("refused_above", 1, "a message of 2 datagrams was refused")]
    [InlineData("no_offload", 1, "UDP_SEND_MSG_SIZE was ignored: Windows 10 2004 is the first version that has it")]
    public void SegmentedSend_SystemWithoutIt_IsNamed(string knob, int value, string expected)
    {
        WinsockModel.Set(knob, value);

        Assert.Equal(expected, WinsockProbe.SegmentedSend(out _));
    }

    [Fact]
    public void CoalescedReceive_JoinedData_ComesWithItsSize()
    {
        Assert.Null(WinsockProbe.CoalescedReceive(out string seen));

        Assert.Equal("3 datagrams in 1 messages out, 1 buffers in", seen);
    }

    [Theory]
    [InlineData("coalesce_limit", "3 datagrams in 1 messages out, 3 buffers in, not coalesced on loopback")]
    [InlineData("refused_above", "3 datagrams in 3 messages out, 1 buffers in")]
    public void CoalescedReceive_NotJoinedOnTheWay_PassesToo(string knob, string expected)
    {
        WinsockModel.Set(knob, 1);

        Assert.Null(WinsockProbe.CoalescedReceive(out string seen));

        Assert.Equal(expected, seen);
    }

    [Theory]
    [InlineData("coalesce_untold", "coalesced data arrived without the size of its datagrams (UDP_COALESCED_INFO)")]
    [InlineData(
        "no_offload",
        "UDP_RECV_MAX_COALESCED_SIZE was refused: Windows 10 2004 is the first version that has it")]
    public void CoalescedReceive_SystemWithoutIt_IsNamed(string knob, string expected)
    {
        WinsockModel.Set(knob, 1);

        Assert.Equal(expected, WinsockProbe.CoalescedReceive(out _));
    }

    [Fact]
    public void Send_GsoMessage_IsSplitExactlyAndInOrder()
    {
        using UdpSocket socket = Bind();
        using SendBatch batch = socket.CreateSendBatch();
        for (int i = 0; i < DatagramCount; i++) NumberedBatch.Add(batch, PeerAt("127.0.0.1"), i);

        Assert.Equal(DatagramCount, socket.Send(batch).Sent);

        Assert.Equal(Enumerable.Range(0, DatagramCount), _peer.Take(DatagramCount));
        ModelCounts counts = WinsockModel.Read();
        Assert.Equal((1, DatagramCount, 0), (counts.SegmentedSends, counts.Segments, counts.RefusedSends));
        Assert.Equal(1, socket.GetCounters().MessagesSent);
    }

    [Fact]
    public void Send_RouteRefusesSegments_ItsDatagramsLeavePlainlyAndOthersDoNot()
    {
        using NumberedPeer other = new();
        using UdpSocket socket = Bind();
        using SendBatch batch = socket.CreateSendBatch();
        UdpEndPoint bad = PeerAt("127.0.0.2");
        WinsockModel.Set("refused_port", bad.Port);
        for (int round = 0; round < 2; round++)
        {
            for (int i = 0; i < DatagramCount; i++) NumberedBatch.Add(batch, i % 2 == 0 ? bad : other.EndPoint, i);

            Assert.Equal(DatagramCount, socket.Send(batch).Sent);

            Assert.Equal(NumberedBatch.TurnOf(0, 2, 0, DatagramCount), _peer.Take(DatagramCount / 2));
            Assert.Equal(NumberedBatch.TurnOf(1, 2, 0, DatagramCount), other.Take(DatagramCount / 2));
        }

        ModelCounts counts = WinsockModel.Read();
        Assert.Equal((2, DatagramCount, 1), (counts.SegmentedSends, counts.Segments, counts.RefusedSends));
        Assert.Equal(1, socket.GetCounters().GsoFallbacks);
    }

    [Fact]
    public void Send_SegmentsTooLargeForThePath_LeavePlainlyAndSmallerOnesDoNot()
    {
        using UdpSocket socket = Bind();
        using SendBatch batch = socket.CreateSendBatch();
        WinsockModel.Set("refused_above", 1400);
        WinsockModel.Set("refused_error", (int)SocketError.MessageSize);
        foreach (int sizeBytes in (int[])[2000, 100])
        {
            for (int i = 0; i < 4; i++) NumberedBatch.Add(batch, PeerAt("127.0.0.1"), i, sizeBytes);
            Assert.Equal(4, socket.Send(batch).Sent);
            Assert.Equal([0, 1, 2, 3], _peer.Take(4));
        }

        Assert.Equal(4, WinsockModel.Read().Segments);
    }

    [Fact]
    public void Send_SingleDatagrams_AreNeverRefusedForASegmentSize()
    {
        using UdpSocket socket = Bind();
        using SendBatch batch = socket.CreateSendBatch();
        WinsockModel.Set("single_refused", 1);
        for (int i = 0; i < 4; i++) NumberedBatch.Add(batch, PeerAt("127.0.0.1"), i, 100 + i);

        Assert.Equal(4, socket.Send(batch).Sent);

        Assert.Equal([0, 1, 2, 3], _peer.Take(4));
        Assert.Equal((0, 0), (WinsockModel.Read().RefusedSends, socket.GetCounters().GsoFallbacks));
    }

    [Fact]
    public void Send_AfterTheProbe_PlainDatagramsAreNotSplit()
    {
        Assert.Null(WinsockProbe.SegmentedSend(out _));
        using UdpSocket socket = Bind();
        WinsockModel.Reset();

        Assert.Equal(1, socket.SendTo(new byte[5000], PeerAt("127.0.0.1")).Sent);

        Assert.Equal([0], _peer.Take(1));
        Assert.Equal(0, WinsockModel.Read().SegmentedSends);
    }

    [Theory]
    [InlineData(Ws2IpDef.UDP_SEND_MSG_SIZE)]
    [InlineData(Ws2IpDef.UDP_RECV_MAX_COALESCED_SIZE)]
    public void Disable_OptionOfAnAdoptedSocket_IsZero(int option)
    {
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.SetRawSocketOption(Ws2IpDef.IPPROTO_UDP, option, BitConverter.GetBytes(100));

        SocketSetup.DisableSegmentedSend(socket);
        SocketSetup.DisableCoalescedReceive(socket);

        byte[] value = [1, 1, 1, 1];
        Assert.Equal(4, socket.GetRawSocketOption(Ws2IpDef.IPPROTO_UDP, option, value));
        Assert.Equal(0, BitConverter.ToInt32(value));
    }

    private UdpEndPoint PeerAt(string address) => new(IPAddress.Parse(address), _peer.EndPoint.Port);

    private static UdpSocket Bind()
    {
        UdpSocketOptions options = new();
        Socket socket = SocketSetup.Open(AddressFamily.InterNetwork, options);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        SocketContext context = new(socket, options, default);
        WinsockSender<WinsockSendCalls> sender = new(context, MaxSegmentCount, takesTrafficClass: false, default);
        return new UdpSocket(context, new BackendPair(UdpBackend.Winsock, new PortableReceiver(context), sender));
    }
}
