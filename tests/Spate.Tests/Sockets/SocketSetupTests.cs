using System.Net;
using System.Net.Sockets;
using Spate.Sockets;

namespace Spate.Tests.Sockets;

/// <summary>What the system refuses to set, although the socket can do without.</summary>
public sealed class SocketSetupTests
{
    // WSAEOPNOTSUPP of winsock2.h.
    private const int OperationNotSupported = 10_045;

    [Theory]
    [InlineData(0x9800000C)]
    [InlineData(0x9800000F)]
    public void SilenceIcmpErrors_ControlRefused_OtherOneIsSetAndNothingThrown(uint refused)
    {
        List<int> asked = [];

        SocketSetup.SilenceIcmpErrors(code =>
        {
            asked.Add(code);
            if (code == unchecked((int)refused)) throw new SocketException(OperationNotSupported);
        });

        // SIO_UDP_CONNRESET and SIO_UDP_NETRESET of mswsock.h.
        Assert.Equal([unchecked((int)0x9800000C), unchecked((int)0x9800000F)], asked);
    }

    [Theory]
    [InlineData("127.0.0.1:0")]
    [InlineData("[::1]:0")]
    public void TryAdmitOnly_OthersSendToo_QueuesThePeersAlone(string local)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "filters of sockets are Linux's");
        using UdpSocket peer = UdpSocket.Bind(UdpEndPoint.Parse(local));
        using UdpSocket stranger = UdpSocket.Bind(UdpEndPoint.Parse(local));
        UdpEndPoint end = UdpEndPoint.Parse(local);
        using Socket socket = new(end.AddressFamily, SocketType.Dgram, ProtocolType.Udp);

        Assert.True(SocketSetup.TryAdmitOnly(socket, peer.LocalEndPoint));
        socket.Bind(end.ToIPEndPoint());
        var bound = UdpEndPoint.FromIPEndPoint((IPEndPoint)socket.LocalEndPoint!);
        Assert.True(stranger.SendTo([1], bound).AllSent);
        Assert.True(peer.SendTo([2], bound).AllSent);
        socket.Connect(peer.LocalEndPoint.ToIPEndPoint());
        SocketSetup.AdmitArrivals(socket);
        Assert.True(peer.SendTo([3], bound).AllSent);

        byte[] first = new byte[8];
        byte[] second = new byte[8];
        Assert.Equal((1, 1), (socket.Receive(first), socket.Receive(second)));
        Assert.Equal((2, 3, 0), (first[0], second[0], socket.Available));
    }

    [Fact]
    public void Connect_WithALocalPort_HasNoFilterAndNoDrops()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "filters of sockets are Linux's");
        using UdpSocket peer = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using UdpSocket stranger = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using UdpSocket connected = UdpSocket.Connect(peer.LocalEndPoint, UdpEndPoint.Loopback(0));
        Assert.True(stranger.SendTo([1], connected.LocalEndPoint).AllSent);
        Assert.True(peer.SendTo([2], connected.LocalEndPoint).AllSent);

        byte[] buffer = new byte[8];
        Assert.Equal(ReceiveStatus.Received, connected.ReceiveFrom(buffer, FaultySocket.Patience, out _));
        Assert.Equal(2, buffer[0]);
        Assert.Equal(0, connected.GetCounters().KernelDrops ?? 0);

        // SO_GET_FILTER of socket(7), whose result is the number of instructions.
        Assert.Equal(0, connected.GetRawSocketOption(1, 26, new byte[512]));
    }

    [Fact]
    public void Adopt_ConnectedAndAnOptionRefused_PeerIsKept()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "capabilities exist on Linux only");
        using UdpSocket peer = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        UdpEndPoint remote = default;
        Exception? fault = null;

        // A user may not force a buffer: the refused call makes .NET forget that the socket is connected.
        var user = new Thread(() => fault = Record.Exception(() =>
        {
            ThreadCapabilities.DropNetAdmin();
            Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            socket.Connect(new IPEndPoint(IPAddress.Loopback, peer.LocalEndPoint.Port));
            using UdpSocket adopted = UdpSocket.FromSocket(
                socket, new UdpSocketOptions { ReceiveBufferBytes = 100_000 });
            remote = adopted.Peer;
            Assert.True(adopted.Send([1]).AllSent);
        }));
        user.Start();
        user.Join();

        Assert.Null(fault);
        Assert.Equal(peer.LocalEndPoint, remote);
        Assert.Equal(ReceiveStatus.Received, peer.ReceiveFrom(new byte[10], FaultySocket.Patience, out _));
    }
}
