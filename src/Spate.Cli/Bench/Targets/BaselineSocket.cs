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
