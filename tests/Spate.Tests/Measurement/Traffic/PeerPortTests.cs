using System.Net.Sockets;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Traffic;

public sealed class PeerPortTests
{
    [Theory]
    [InlineData(false, true, false)]
    [InlineData(true, false, true)]
    public void Of_System_TakesTheOptionThatItHas(bool isWindows, bool reusesPort, bool reusesAddress)
    {
        UdpSocketOptions options = PeerPort.Of(new UdpSocketOptions(), isWindows);

        Assert.Equal((reusesPort, reusesAddress), (options.ReusePort, options.ReuseAddress));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Of_ListeningSocketAndPeerSocket_ShareThePortAndKeepTheirDatagramsApart(bool isWindows)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows() && !isWindows, "Windows has no SO_REUSEPORT");
        UdpSocketOptions options = PeerPort.Of(new UdpSocketOptions(), isWindows);
        using UdpSocket listening = UdpSocket.Bind(UdpEndPoint.Loopback(0), options);
        using UdpSocket client = UdpSocket.Connect(listening.LocalEndPoint);
        using UdpSocket stranger = UdpSocket.Connect(listening.LocalEndPoint);
        (UdpSocket socket, ReceiveBatch batch) =
            PeerSocket.Open(client.LocalEndPoint, listening.LocalEndPoint, options, onStray: null);
        using (socket)
        using (batch)
        {
            client.Send([1]);
            stranger.Send([2]);

            byte[] received = new byte[1];
            Assert.Equal(
                ReceiveStatus.Received, socket.ReceiveFrom(received, TimeSpan.FromSeconds(10), out _));
            Assert.Equal(1, received[0]);
            Assert.Equal(
                ReceiveStatus.Received, listening.ReceiveFrom(received, TimeSpan.FromSeconds(10), out _));
            Assert.Equal(2, received[0]);
        }
    }

    [Fact]
    public void RequireFree_PortThatAnotherSocketShares_IsRefused()
    {
        UdpSocketOptions options = PeerPort.Of(new UdpSocketOptions(), isWindows: true);
        using UdpSocket other = UdpSocket.Bind(UdpEndPoint.Loopback(0), options);

        SocketException fault = Assert.Throws<SocketException>(
            () => PeerPort.RequireFree(other.LocalEndPoint, options));

        Assert.Equal(SocketError.AddressAlreadyInUse, fault.SocketErrorCode);
    }
}
