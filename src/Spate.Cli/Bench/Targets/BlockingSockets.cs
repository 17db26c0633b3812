using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace Spate.Cli.Bench.Targets;

/// <summary>Opens the sockets of the rows on System.Net.Sockets, and writes and reads their datagrams.</summary>
internal static class BaselineSocket
{
    // The largest payload over IPv6 (RFC 8200): 65535 less the UDP header. Over IPv4 it is smaller.
    private const int MaxDatagramBytes = 65527;

    // SOL_SOCKET, SO_SNDBUFFORCE and SO_RCVBUFFORCE of Linux on x64 and Arm64 (asm-generic/socket.h).
    private const int SocketLevel = 1;
    private const int SendBufferForce = 32;
    private const int ReceiveBufferForce = 33;

    /// <summary>Opens one on 127.0.0.1 at a free port, with the requested buffers if the system grants them.</summary>
    public static Socket Open(int bufferBytes)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        try
        {
            socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            SetBuffers(socket, bufferBytes);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>The buffer is pinned and holds any datagram.</summary>
    public static byte[] NewReceiveBuffer() => GC.AllocateArray<byte>(MaxDatagramBytes, pinned: true);

    /// <summary>Requests both buffers, and forces them if the system grants less. All rows do the same.</summary>
    public static void SetBuffers(Socket socket, int bufferBytes)
    {
        socket.ReceiveBufferSize = bufferBytes;
        socket.SendBufferSize = bufferBytes;
        if (!OperatingSystem.IsLinux()) return;
        if (GrantedReceiveBytes(socket) < bufferBytes) TryForce(socket, ReceiveBufferForce, bufferBytes);
        if (GrantedSendBytes(socket) < bufferBytes) TryForce(socket, SendBufferForce, bufferBytes);
    }

    public static int GrantedReceiveBytes(Socket socket) => Halved(socket.ReceiveBufferSize);

    public static int GrantedSendBytes(Socket socket) => Halved(socket.SendBufferSize);

    /// <summary>Writes the 8 bytes that a sender writes into every datagram.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Write(Span<byte> payload, ulong sequence) =>
        BinaryPrimitives.WriteUInt64LittleEndian(payload, sequence);

    /// <summary>Reads the first byte of a datagram; returns its sum with the peer's port, for a checksum.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Visit(int peerPort, ReadOnlySpan<byte> payload) =>
        peerPort + (payload.IsEmpty ? 0 : payload[0]);

    // Linux returns twice the usable size, since it counts its own bookkeeping (socket(7)).
    private static int Halved(int bytes) => OperatingSystem.IsLinux() ? bytes / 2 : bytes;

    private static void TryForce(Socket socket, int optionName, int bufferBytes)
    {
        try
        {
            socket.SetRawSocketOption(SocketLevel, optionName, BitConverter.GetBytes(bufferBytes));
        }
        catch (SocketException)
        {
            // Forcing needs CAP_NET_ADMIN (socket(7)). Without it, the report shows what the system granted.
        }
    }
}

/// <summary>Finds the endpoint object of a raw address, as programs that receive with SocketAddress do.</summary>
internal sealed class PeerLookup
{
    private static readonly IPEndPoint Factory = new(IPAddress.Any, 0);

    // A bench has one peer. The bound keeps other senders on this machine from filling the memory.
    private const int MaxPeers = 1024;

    private readonly Dictionary<SocketAddress, IPEndPoint> _peers = [];

    public IPEndPoint Find(SocketAddress address)
    {
        if (_peers.TryGetValue(address, out IPEndPoint? peer)) return peer;
        peer = (IPEndPoint)Factory.Create(address);
        if (_peers.Count < MaxPeers)
        {
            var key = new SocketAddress(address.Family, address.Size);
            address.Buffer.CopyTo(key.Buffer);
            _peers[key] = peer;
        }
        return peer;
    }
}

/// <summary>Socket.ReceiveFrom with a SocketAddress, on a thread that blocks.</summary>
internal sealed class BlockingReceiver : BenchReceiver
{
    private readonly Socket _socket;
    private readonly byte[] _buffer = BaselineSocket.NewReceiveBuffer();
    private readonly SocketAddress _address = new(AddressFamily.InterNetwork);
    private readonly PeerLookup _peers = new();
    private volatile bool _stopping;

    public BlockingReceiver(BenchSetup setup)
    {
        _socket = BaselineSocket.Open(setup.BufferBytes);
        _socket.ReceiveTimeout = setup.MaxWaitMilliseconds;
    }

    public override IPEndPoint LocalEndPoint => (IPEndPoint)_socket.LocalEndPoint!;

    public override int BufferGrantedBytes => BaselineSocket.GrantedReceiveBytes(_socket);

    public override void Run()
    {
        while (!_stopping)
        {
            try
            {
                ReceiveUntilIdle();
            }
            catch (SocketException e) when (e.SocketErrorCode is SocketError.TimedOut or SocketError.WouldBlock)
            {
                // Nothing arrived for a while, so the loop looks at the flag.
            }
        }
    }

    public override int Drain(int count)
    {
        int drained = 0;
        try
        {
            while (drained < count)
            {
                int length = _socket.ReceiveFrom(_buffer, SocketFlags.None, _address);
                Checksum += BaselineSocket.Visit(_peers.Find(_address).Port, _buffer.AsSpan(0, length));
                drained++;
            }
        }
        catch (SocketException e) when (e.SocketErrorCode is SocketError.TimedOut or SocketError.WouldBlock)
        {
            // The queue held fewer datagrams than were sent. The caller compares the counts.
        }

        return drained;
    }

    public override void Stop() => _stopping = true;

    public override void Dispose() => _socket.Dispose();

    private void ReceiveUntilIdle()
    {
        while (!_stopping)
        {
            int length = _socket.ReceiveFrom(_buffer, SocketFlags.None, _address);
            IPEndPoint peer = _peers.Find(_address);
            Counters.Add(1, length, BaselineSocket.Visit(peer.Port, _buffer.AsSpan(0, length)));
        }
    }
}

/// <summary>Socket.SendTo with a SocketAddress, on a thread that blocks.</summary>
internal sealed class BlockingSender(Socket socket, BenchSetup setup, IPEndPoint peer) : BenchSender
{
    private readonly byte[] _payload = GC.AllocateArray<byte>(setup.SizeBytes, pinned: true);
    private readonly SocketAddress _address = peer.Serialize();
    private ulong _sequence;

    public override int Send(int count)
    {
        for (int i = 0; i < count; i++)
        {
            BaselineSocket.Write(_payload, _sequence++);
            _ = socket.SendTo(_payload, SocketFlags.None, _address);
        }
        return count;
    }

    public override void Dispose() => socket.Dispose();
}

/// <summary>Socket.ReceiveFrom and SendTo with a SocketAddress, on a thread that blocks.</summary>
internal sealed class BlockingSocketServer : BenchServer
{
    private static readonly TimeSpan MaxEnding = TimeSpan.FromSeconds(3);

    private readonly Socket _socket = BaselineSocket.Open(BenchOptions.DefaultBufferBytes);
    private readonly SocketAddress? _destination;
    private readonly BenchThread _thread;
    private volatile bool _stopping;

    /// <param name="destination">Receives every datagram; null sends each one back to its peer.</param>
    public BlockingSocketServer(string name, int? cpu, IPEndPoint? destination = null)
    {
        _destination = destination?.Serialize();
        _thread = new BenchThread(name, cpu, Run);
        _thread.Start();
    }

    public override IPEndPoint LocalEndPoint => (IPEndPoint)_socket.LocalEndPoint!;

    public override long? CpuNanoseconds => _thread.CpuNanosecondsSoFar;

    public override void Dispose()
    {
        // Not every system ends a blocked receive when another thread closes the socket; a datagram ends it everywhere.
        _stopping = true;
        _socket.SendTo([], LocalEndPoint);
        _thread.Join(MaxEnding);
        _socket.Dispose();
    }

    private void Run()
    {
        byte[] buffer = BaselineSocket.NewReceiveBuffer();
        var peer = new SocketAddress(AddressFamily.InterNetwork);
        while (!_stopping)
        {
            int length = _socket.ReceiveFrom(buffer, SocketFlags.None, peer);
            if (!_stopping) _socket.SendTo(buffer.AsSpan(0, length), SocketFlags.None, _destination ?? peer);
        }
    }
}
