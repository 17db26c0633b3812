using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Diagnostics;
using Spate.Interop.Linux;

namespace Spate.Sockets;

/// <summary>Sets socket buffers: asks for a size, forces it if allowed, and reads back the granted size.</summary>
internal static partial class SocketSetup
{
    private static readonly EventThrottle Events = new(TimeProvider.System);

    public static bool TryForceReceiveBuffer(Socket socket, int bytes) =>
        TrySetInt(socket, SysSocket.SOL_SOCKET, SysSocket.SO_RCVBUFFORCE, bytes);

    /// <summary>Linux returns twice the usable size, since it counts its own bookkeeping (socket.7).</summary>
    public static int GrantedReceiveBytes(Socket socket) => Halved(socket.ReceiveBufferSize);

    public static int GrantedSendBytes(Socket socket) => Halved(socket.SendBufferSize);

    /// <summary>
    /// Drops of this socket, modulo 2^32: its buffer was full, or a filter refused them. -1 if the system has no count.
    /// </summary>
    public static long ReadKernelDrops(Socket socket)
    {
        if (!OperatingSystem.IsLinux()) return -1;
        Span<uint> words = stackalloc uint[SockDiag.SK_MEMINFO_DROPS + 1];
        try
        {
            socket.GetRawSocketOption(SysSocket.SOL_SOCKET, SysSocket.SO_MEMINFO, MemoryMarshal.AsBytes(words));
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            return -1;
        }

        return words[SockDiag.SK_MEMINFO_DROPS];
    }

    private static void SetBuffers(Socket socket, UdpSocketOptions options)
    {
        if (options.ReceiveBufferBytes is { } receiveBytes)
        {
            if (!TryForce(socket, SysSocket.SO_RCVBUFFORCE, receiveBytes, options))
            {
                socket.ReceiveBufferSize = receiveBytes;
            }
            Report("receive", receiveBytes, GrantedReceiveBytes(socket));
        }

        if (options.SendBufferBytes is { } sendBytes)
        {
            if (!TryForce(socket, SysSocket.SO_SNDBUFFORCE, sendBytes, options)) socket.SendBufferSize = sendBytes;
            Report("send", sendBytes, GrantedSendBytes(socket));
        }
    }

    // Forcing is tried first, since the plain option silently grants at most the limit. Without the capability, forcing
    // costs one refused call.
    private static bool TryForce(Socket socket, int name, int bytes, UdpSocketOptions options) =>
        options.ForceBuffers && OperatingSystem.IsLinux() && TrySetInt(socket, SysSocket.SOL_SOCKET, name, bytes);

    private static void Report(string direction, int askedBytes, int grantedBytes)
    {
        if (grantedBytes < askedBytes && Events.TryPass(EventKind.BufferRefused, out long count))
        {
            SpateEventSource.Log.BufferRefused(direction, askedBytes, grantedBytes, count);
        }
    }

    private static int Halved(int bytes) => OperatingSystem.IsLinux() ? bytes / 2 : bytes;
}
