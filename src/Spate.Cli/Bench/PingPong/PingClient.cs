using System.Buffers.Binary;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Spate.Cli.Bench.Targets;
using Spate.Serving;

namespace Spate.Cli.Bench.PingPong;

/// <summary>The end that sends pings and times the answers.</summary>
internal abstract class PingClient : IDisposable
{
    public abstract IPEndPoint LocalEndPoint { get; }

    /// <summary>An empty datagram ends a wait: no answer will come. So no call needs a time-out or hangs.</summary>
    public abstract void Run(PingLog log);

    public abstract void Dispose();

    /// <summary>An answer that comes late belongs to an earlier ping.</summary>
    protected static bool IsAnswer(ReadOnlySpan<byte> payload, ulong sequence) =>
        BinaryPrimitives.TryReadUInt64LittleEndian(payload, out ulong answered) && answered == sequence;
}

/// <summary>A client on a thread of its own.</summary>
internal abstract class ThreadPingClient(int sizeBytes) : PingClient
{
    private readonly byte[] _payload = GC.AllocateArray<byte>(sizeBytes, pinned: true);
    private readonly byte[] _answer = BaselineSocket.NewReceiveBuffer();

    public override void Run(PingLog log)
    {
        while (log.TryNext(out ulong sequence))
        {
            BinaryPrimitives.WriteUInt64LittleEndian(_payload, sequence);
            long start = Stopwatch.GetTimestamp();
            Send(_payload);
            if (WaitForAnswer(sequence)) log.Add(Stopwatch.GetTimestamp() - start);
            else log.AddLost();
        }
    }

    protected abstract void Send(byte[] payload);

    /// <summary>Waits for a datagram and returns the length of its payload.</summary>
    protected abstract int Receive(byte[] buffer);

    private bool WaitForAnswer(ulong sequence)
    {
        while (true)
        {
            int length = Receive(_answer);
            if (length == 0) return false;
            if (IsAnswer(_answer.AsSpan(0, length), sequence)) return true;
        }
    }
}

/// <summary>A client on Socket.ReceiveFrom and SendTo with a SocketAddress, on a thread that blocks.</summary>
internal sealed class SocketPing(int sizeBytes, IPEndPoint server) : ThreadPingClient(sizeBytes)
{
    private readonly Socket _socket = BaselineSocket.Open(BenchOptions.DefaultBufferBytes);
    private readonly SocketAddress _server = server.Serialize();
    private readonly SocketAddress _peer = new(AddressFamily.InterNetwork);

    public override IPEndPoint LocalEndPoint => (IPEndPoint)_socket.LocalEndPoint!;

    public override void Dispose() => _socket.Dispose();

    protected override void Send(byte[] payload) => _socket.SendTo(payload, SocketFlags.None, _server);

    protected override int Receive(byte[] buffer) => _socket.ReceiveFrom(buffer, SocketFlags.None, _peer);
}

/// <summary>A client on Socket.ReceiveFromAsync and SendToAsync, continued on pool threads.</summary>
internal sealed class SocketAsyncPing(int sizeBytes, IPEndPoint server) : PingClient
{
    private readonly Socket _socket = BaselineSocket.Open(BenchOptions.DefaultBufferBytes);
    private readonly SocketAddress _server = server.Serialize();

    public override IPEndPoint LocalEndPoint => (IPEndPoint)_socket.LocalEndPoint!;

    public override void Run(PingLog log) => Task.Run(() => RunAsync(log)).GetAwaiter().GetResult();

    public override void Dispose() => _socket.Dispose();

    private async Task RunAsync(PingLog log)
    {
        Memory<byte> payload = GC.AllocateArray<byte>(sizeBytes, pinned: true);
        Memory<byte> buffer = BaselineSocket.NewReceiveBuffer();
        var address = new SocketAddress(AddressFamily.InterNetwork);
        while (log.TryNext(out ulong sequence))
        {
            BinaryPrimitives.WriteUInt64LittleEndian(payload.Span, sequence);
            long start = Stopwatch.GetTimestamp();
            await _socket.SendToAsync(payload, SocketFlags.None, _server).ConfigureAwait(false);
            int length;
            do
            {
                length = await _socket.ReceiveFromAsync(buffer, SocketFlags.None, address).ConfigureAwait(false);
            }
            while (length > 0 && !IsAnswer(buffer.Span[..length], sequence));
            if (length > 0) log.Add(Stopwatch.GetTimestamp() - start);
            else log.AddLost();
        }
    }
}

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
