using System.Net;
using System.Net.Sockets;
using Spate.Measurement.Iperf2.Wire;

namespace Spate.Tests.Measurement.Iperf2;

/// <summary>A client or server that sends whatever a test wants.</summary>
internal sealed class HandMadePeer : IDisposable
{
    private const int PatienceMilliseconds = 30_000;

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
    {
        EnableBroadcast = true,
    };

    public HandMadePeer()
    {
        _socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _socket.ReceiveTimeout = PatienceMilliseconds;
    }

    public UdpEndPoint EndPoint => UdpEndPoint.Loopback(((IPEndPoint)_socket.LocalEndPoint!).Port);

    public static byte[] Datagram(long number, int length = 100, string flags = "48010098", int upperFlags = 0)
    {
        byte[] payload = new byte[length];
        new Iperf2Header(number, 1_700_000_000_000_000_000).Write(payload);
        if (length >= 20) Convert.FromHexString(flags).CopyTo(payload, 16);
        if (length >= 52) payload[48] = (byte)(upperFlags >> 8);
        return payload;
    }

    public void Send(byte[] payload, UdpEndPoint to) =>
        _socket.SendTo(payload, new IPEndPoint(to.Address, to.Port));

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
