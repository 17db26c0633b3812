using System.Net;
using System.Net.Sockets;

namespace Spate.Tests.Sockets;

/// <summary>
/// A receiver that is no part of Spate: it takes numbered datagrams and tells their numbers in order.
/// </summary>
internal sealed class NumberedPeer : IDisposable
{
    private const int SettleMicroseconds = 2_000;

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly byte[] _buffer = new byte[65_535];

    /// <param name="address">A loopback address; each one is a destination of its own.</param>
    public NumberedPeer(string address = "127.0.0.1")
    {
        _socket.ReceiveBufferSize = 4 << 20;
        _socket.Bind(new IPEndPoint(IPAddress.Parse(address), 0));
        EndPoint = UdpEndPoint.FromIPEndPoint((IPEndPoint)_socket.LocalEndPoint!);
    }

    public UdpEndPoint EndPoint { get; }

    /// <summary>Waits for so many datagrams and checks that no other follows.</summary>
    public List<int> Take(int count)
    {
        List<int> numbers = [];
        while (numbers.Count < count && _socket.Poll(FaultySocket.Patience, SelectMode.SelectRead))
            numbers.Add(TakeOne());
        while (_socket.Poll(SettleMicroseconds, SelectMode.SelectRead)) numbers.Add(TakeOne());
        return numbers;
    }

    public void Dispose() => _socket.Dispose();

    private int TakeOne()
    {
        int length = _socket.Receive(_buffer);
        return length >= sizeof(int) ? BitConverter.ToInt32(_buffer) : -1;
    }
}
