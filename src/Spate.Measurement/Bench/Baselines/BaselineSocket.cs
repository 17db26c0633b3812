using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace Spate.Measurement.Bench.Baselines;

/// <summary>What the rows on System.Net.Sockets share: how a socket is opened and a datagram is visited.</summary>
internal static class BaselineSocket
{
    // Holds any datagram, over IPv6 too.
    private const int MaxDatagramBytes = 65527;

    // Linux: SOL_SOCKET, SO_SNDBUFFORCE and SO_RCVBUFFORCE (asm-generic/socket.h), as on x64 and Arm64.
    private const int SocketLevel = 1;
    private const int SendBufferForce = 32;
    private const int ReceiveBufferForce = 33;

    /// <summary>A socket on 127.0.0.1 at a free port, its buffers as asked where the system lets it.</summary>
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

    /// <summary>A pinned receive buffer that holds any datagram.</summary>
    public static byte[] NewReceiveBuffer() => GC.AllocateArray<byte>(MaxDatagramBytes, pinned: true);

    /// <summary>Asks for both buffers, by force where the plain way gives less: alike for all rows.</summary>
    public static void SetBuffers(Socket socket, int bufferBytes)
    {
        socket.ReceiveBufferSize = bufferBytes;
        socket.SendBufferSize = bufferBytes;
        if (!OperatingSystem.IsLinux()) return;
        if (GrantedReceiveBytes(socket) < bufferBytes) TryForce(socket, ReceiveBufferForce, bufferBytes);
        if (GrantedSendBytes(socket) < bufferBytes) TryForce(socket, SendBufferForce, bufferBytes);
    }

    /// <summary>The receive buffer that was granted, in bytes.</summary>
    public static int GrantedReceiveBytes(Socket socket) => Halved(socket.ReceiveBufferSize);

    /// <summary>The send buffer that was granted, in bytes.</summary>
    public static int GrantedSendBytes(Socket socket) => Halved(socket.SendBufferSize);

    /// <summary>Writes the 8 bytes that a sender has to write into every datagram.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Write(Span<byte> payload, ulong sequence) =>
        BinaryPrimitives.WriteUInt64LittleEndian(payload, sequence);

    /// <summary>What a visit reads: the peer's port and the first byte.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Visit(int peerPort, ReadOnlySpan<byte> payload) =>
        peerPort + (payload.IsEmpty ? 0 : payload[0]);

    // Linux answers with twice the usable size, since it counts its own bookkeeping (socket(7)).
    private static int Halved(int bytes) => OperatingSystem.IsLinux() ? bytes / 2 : bytes;

    private static void TryForce(Socket socket, int optionName, int bufferBytes)
    {
        try
        {
            socket.SetRawSocketOption(SocketLevel, optionName, BitConverter.GetBytes(bufferBytes));
        }
        catch (SocketException)
        {
            // Needs CAP_NET_ADMIN (socket(7)); what was granted is reported.
        }
    }
}
