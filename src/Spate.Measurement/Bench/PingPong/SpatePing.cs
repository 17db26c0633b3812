using System.Diagnostics;
using System.Net;
using Spate.Serving;

namespace Spate.Measurement.Bench.PingPong;

/// <summary>The library's server with one shard that echoes.</summary>
internal sealed class SpatePong : PongServer
{
    private readonly UdpServer _server;

    public SpatePong(UdpServerWait wait, int? cpu)
    {
        var options = new UdpServerOptions
        {
            LocalEndPoints = [UdpEndPoint.Loopback(0)],
            ThreadCount = 1,
            Wait = wait,
            CpuIndexes = cpu is int index ? [index] : [],
        };
        _server = UdpServer.Start(options, static _ => new Echo());
    }

    public override IPEndPoint LocalEndPoint => _server.LocalEndPoints[0].ToIPEndPoint();

    public override long? CpuNanoseconds => ServerClock.ReadNanoseconds(_server);

    public override void Dispose() => _server.Dispose();

    private sealed class Echo : UdpHandler
    {
        public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
        {
            foreach (Datagram datagram in batch) replies.TryForward(datagram, datagram.Peer);
        }
    }
}

/// <summary>A client on the library's socket, one call per datagram, that waits as its server does.</summary>
internal sealed class SpatePing(UdpServerWait wait, int sizeBytes, IPEndPoint server) : ThreadPingClient(sizeBytes)
{
    // What the library spins where there are CPUs to spare; under it, a server that sleeps is never met awake.
    private const double AdaptiveSpinMicroseconds = 50;

    private const int LooksPerTurn = 64;

    // Single datagrams are taken from a coalescing socket by way of a batch: a poll and a copy more for each.
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

                // As the server does: who shares this CPU could otherwise never end the wait.
                if (look % LooksPerTurn == 0) Thread.Yield();
            }
        }

        // A socket that is closed is the end of the row, not a datagram.
        return _socket.ReceiveFrom(buffer, out ReceivedDatagram datagram) == ReceiveStatus.Received
            ? datagram.Length
            : throw new ObjectDisposedException(nameof(UdpSocket));
    }

    private static bool MaySpin(long start) =>
        Stopwatch.GetElapsedTime(start).TotalMicroseconds < AdaptiveSpinMicroseconds;
}
