using System.Diagnostics;
using System.Net;
using Spate.Serving;

namespace Spate.Cli.Bench.PingPong;

/// <summary>A client on the library's socket, with one call per datagram. It waits as its server does.</summary>
internal sealed class SpatePing(UdpServerWait wait, int sizeBytes, IPEndPoint server) : ThreadPingClient(sizeBytes)
{
    // As long as the library spins if CPUs are free. After a shorter spin, client and server would both always sleep.
    private const double AdaptiveSpinMicroseconds = 50;

    private const int LooksPerTurn = 64;

    // A coalescing socket receives single datagrams through a batch, which costs one more poll and copy for each.
    private readonly UdpSocket _socket = UdpSocket.Bind(
        UdpEndPoint.Loopback(0), new UdpSocketOptions { CoalescedReceive = false });

    private readonly UdpEndPoint _server = UdpEndPoint.FromIPEndPoint(server);

    public override IPEndPoint LocalEndPoint => _socket.LocalEndPoint.ToIPEndPoint();

    public override void Dispose() => _socket.Dispose();

    protected override void Send(byte[] payload) => _socket.SendTo(payload, _server);

    protected override int Receive(byte[] buffer)
    {
        if (wait != UdpServerWait.Blocking)
        {
            long start = Stopwatch.GetTimestamp();
            for (int look = 1; wait == UdpServerWait.Spinning || MaySpin(start); look++)
            {
                if (_socket.TryReceiveFrom(buffer, out ReceivedDatagram early) == ReceiveStatus.Received)
                {
                    return early.Length;
                }

                // The server yields likewise. Without it, a thread that shares this CPU could not send the answer.
                if (look % LooksPerTurn == 0) Thread.Yield();
            }
        }

        // If the socket is closed, the row is over, and no length may be returned.
        return _socket.ReceiveFrom(buffer, out ReceivedDatagram datagram) == ReceiveStatus.Received
            ? datagram.Length
            : throw new ObjectDisposedException(nameof(UdpSocket));
    }

    private static bool MaySpin(long start) =>
        Stopwatch.GetElapsedTime(start).TotalMicroseconds < AdaptiveSpinMicroseconds;
}
