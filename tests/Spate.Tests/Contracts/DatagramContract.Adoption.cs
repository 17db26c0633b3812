using System.Net;
using System.Net.Sockets;
using Spate.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>Sockets that others have opened.</summary>
public abstract partial class DatagramContract
{
    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Adopt_BoundSocket_SendsAndReceives(Form form)
    {
        UdpSocket adopted = Own(UdpSocket.FromSocket(NewBound(), Options()));

        await ExchangeAsync(form, adopted, BindLoopback(), adopted.LocalEndPoint);
        Assert.True(adopted.Peer.IsDefault);
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Adopt_ConnectedSocket_SpeaksWithItsPeer(Form form)
    {
        UdpSocket peer = BindLoopback();
        Socket socket = NewBound();
        socket.Connect(peer.LocalEndPoint.ToIPEndPoint());

        UdpSocket adopted = Own(UdpSocket.FromSocket(socket, Options()));

        Assert.Equal(peer.LocalEndPoint, adopted.Peer);
        await ExchangeAsync(form, adopted, peer, adopted.LocalEndPoint);
        Assert.Equal(1, adopted.Send([5]).Sent);
        Assert.Equal([[5]], await ReceivePayloadsAsync(form, peer, 1));
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Adopt_NonBlockingSocket_StillWaits(Form form)
    {
        Socket socket = NewBound();
        socket.Blocking = false;
        UdpSocket adopted = Own(UdpSocket.FromSocket(socket, Options()));
        UdpSocket peer = BindLoopback();

        Task<List<byte[]>> waiting = Task.Run(() => ReceivePayloadsAsync(form, adopted, 1), Stop);
        SendNow(peer, adopted.LocalEndPoint, [1]);

        Assert.Equal([[1]], await waiting);
        await ExchangeAsync(form, adopted, peer, adopted.LocalEndPoint);
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Adopt_SocketUsedWithAwait_SendsAndReceives(Form form)
    {
        Socket socket = NewBound();
        UdpSocket peer = BindLoopback();
        ValueTask<SocketReceiveFromResult> earlier =
            socket.ReceiveFromAsync(new byte[10], SocketFlags.None, new IPEndPoint(IPAddress.Any, 0), Stop);
        SendNow(peer, UdpEndPoint.FromIPEndPoint((IPEndPoint)socket.LocalEndPoint!), [1]);
        await earlier;
        if (_backend == UdpBackend.Winsock)
        {
            // The socket belongs to the completion port of the runtime, and cannot get another one.
            var refusal = Assert.Throws<PlatformNotSupportedException>(() => UdpSocket.FromSocket(socket, Options()));
            Assert.Contains("Portable", refusal.Message, StringComparison.Ordinal);
            socket.Dispose();
            return;
        }

        UdpSocket adopted = Own(UdpSocket.FromSocket(socket, Options()));

        await ExchangeAsync(form, adopted, peer, adopted.LocalEndPoint);
    }

    [Fact]
    public async Task Adopt_DatagramsQueuedBefore_AreReceived()
    {
        Assert.SkipWhen(
            _backend == UdpBackend.Rio, "Registered I/O has no place for a datagram before a receive is posted");
        Socket socket = NewBound();
        UdpEndPoint self = UdpEndPoint.FromIPEndPoint((IPEndPoint)socket.LocalEndPoint!);
        await SendPayloadsAsync(Form.Batch, BindLoopback(), self, Payloads.Same(10, 100));

        UdpSocket adopted = Own(UdpSocket.FromSocket(socket, Options()));

        Assert.Equal(Payloads.Same(10, 100), await ReceivePayloadsAsync(Form.Batch, adopted, 10));
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Adopt_SocketCutsWhatItSends_DatagramsLeaveWhole(Form form)
    {
        const int solUdp = 17, udpSegment = 103;
        Assert.SkipUnless(OperatingSystem.IsLinux(), "UDP_SEGMENT is an option of Linux");
        Socket socket = NewBound();
        socket.SetRawSocketOption(solUdp, udpSegment, BitConverter.GetBytes(100));
        UdpSocket adopted = Own(UdpSocket.FromSocket(socket, Options()));
        UdpSocket peer = BindLoopback();

        await SendPayloadsAsync(form, adopted, peer.LocalEndPoint, Payloads.Of(250, 100, 101));

        Assert.Equal(Payloads.Of(250, 100, 101), await ReceivePayloadsAsync(form, peer, 3));
    }

    [Fact]
    public void Adopt_Disposed_ClosesTheSocket()
    {
        Socket socket = NewBound();
        UdpSocket adopted = UdpSocket.FromSocket(socket, Options());

        adopted.Dispose();

        Assert.True(socket.SafeHandle.IsClosed);
    }

    [Fact]
    public void Adopt_UnboundOrStream_IsAnArgumentErrorAndLeftAlone()
    {
        using Socket unbound = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        using Socket stream = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        stream.Bind(new IPEndPoint(IPAddress.Loopback, 0));

        var noPort = Assert.Throws<ArgumentException>(() => UdpSocket.FromSocket(unbound, Options()));
        Assert.Contains("call Bind or Connect on the socket first", noPort.Message, StringComparison.Ordinal);
        var noUdp = Assert.Throws<ArgumentException>(() => UdpSocket.FromSocket(stream, Options()));
        Assert.Contains("type Stream and the protocol Tcp: give a UDP", noUdp.Message, StringComparison.Ordinal);

        Assert.False(unbound.SafeHandle.IsClosed);
        Assert.False(stream.SafeHandle.IsClosed);
    }

    [Fact]
    public void Adopt_OptionRefused_SocketIsLeftOpen()
    {
        using Socket socket = NewBound();

        Assert.ThrowsAny<ArgumentException>(() => UdpSocket.FromSocket(socket, Options(timeToLive: 300)));
        Assert.ThrowsAny<ArgumentException>(() => UdpSocket.FromSocket(socket, Options(receiveBufferBytes: -1)));

        Assert.False(socket.SafeHandle.IsClosed);
        Assert.Equal(1, socket.SendTo([1], socket.LocalEndPoint!));
    }

    // The socket that adopts it closes it.
    private Socket NewBound()
    {
        Socket socket = SocketSetup.Open(AddressFamily.InterNetwork, new(), isRegistered: _backend == UdpBackend.Rio);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    private async Task ExchangeAsync(Form form, UdpSocket first, UdpSocket second, UdpEndPoint firstAddress)
    {
        await SendPayloadsAsync(form, second, firstAddress, Payloads.Of(50, 50, 0, 10));
        List<Incoming> asked = await ReceiveAllAsync(form, first, 4);
        await SendPayloadsAsync(form, first, asked[0].Peer, Payloads.Of(9, 60));

        Assert.Equal(Payloads.Of(50, 50, 0, 10), asked.Select(datagram => datagram.Payload));
        Assert.Equal(Payloads.Of(9, 60), await ReceivePayloadsAsync(form, second, 2));
    }
}
