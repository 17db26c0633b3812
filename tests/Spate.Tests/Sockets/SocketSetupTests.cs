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
