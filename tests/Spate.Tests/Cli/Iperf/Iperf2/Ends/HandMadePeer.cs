using System.Net;
using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf2.Wire;

namespace Spate.Tests.Cli.Iperf.Iperf2.Ends;

/// <summary>A client or server that sends whatever a test wants.</summary>
internal sealed class HandMadePeer : IDisposable
{
    private const int PatienceMilliseconds = 30_000;

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
    {
        EnableBroadcast = true,
    };

    /// <param name="address">Its address; null for 127.0.0.1.</param>
    public HandMadePeer(IPAddress? address = null)
    {
        _socket.Bind(new IPEndPoint(address ?? IPAddress.Loopback, 0));
        _socket.ReceiveTimeout = PatienceMilliseconds;
    }

    public UdpEndPoint EndPoint => (IPEndPoint)_socket.LocalEndPoint! is var end ? new(end.Address, end.Port) : default;

    public static byte[] Datagram(long number, int length = 100, string flags = "48010098", int upperFlags = 0)
    {
        byte[] payload = new byte[length];
        new Iperf2Header(number, 1_700_000_000_000_000_000).Write(payload);
        if (length >= 20) Convert.FromHexString(flags).CopyTo(payload, 16);
        if (length >= 52) payload[48] = (byte)(upperFlags >> 8);
        return payload;
    }

    /// <summary>A datagram of a client that says what it wants sent back.</summary>
    public static byte[] Asking(long number, Iperf2Settings settings)
    {
        byte[] payload = Datagram(number, length: 128);
        settings.Write(payload);
        return payload;
    }

    public void Send(byte[] payload, UdpEndPoint to) =>
        _socket.SendTo(payload, to.ToIPEndPoint());

    public byte[] Receive(out EndPoint from)
    {
        byte[] buffer = new byte[65_535];
        from = new IPEndPoint(IPAddress.Any, 0);
        return buffer[.._socket.ReceiveFrom(buffer, ref from)];
    }

    public byte[] Receive() => Receive(out _);

    public void Answer(byte[] payload, EndPoint to) => _socket.SendTo(payload, to);

    public bool HasMore => _socket.Available > 0;

    public void Dispose() => _socket.Dispose();
}
