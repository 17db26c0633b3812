using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Diagnostics;
using Spate.Interop.Linux;

namespace Spate.Sockets;

/// <summary>Sets socket buffers: asks for a size, forces it if allowed, and reads back the granted size.</summary>
internal static partial class SocketSetup
{
    private static readonly EventThrottle Refusals = new(TimeProvider.System);

    public static bool TryForceReceiveBuffer(Socket socket, int bytes) =>
        TrySet(socket, SysSocket.SOL_SOCKET, SysSocket.SO_RCVBUFFORCE, bytes);

    /// <summary>
    /// The usable size of the receive buffer. Linux returns twice this size, since it counts its own bookkeeping
    /// (socket.7).
    /// </summary>
    public static int GrantedReceiveBytes(Socket socket) => Halved(socket.ReceiveBufferSize);

    public static int GrantedSendBytes(Socket socket) => Halved(socket.SendBufferSize);

    /// <summary>
    /// The number of datagrams or coalesced buffers that the kernel dropped on this socket, modulo 2^32, because the
    /// receive buffer was full or a filter refused them. -1 if the system has no such counter.
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

    // Forces the size if the options ask for it and the system allows it. Tried before the ordinary option (SO_RCVBUF,
    // SO_SNDBUF), because that option reports success even if the system's limit (net.core.rmem_max, wmem_max) allows
    // less than the size. Without CAP_NET_ADMIN, the attempt costs one refused call.
    private static bool TryForce(Socket socket, int name, int bytes, UdpSocketOptions options) =>
        options.ForceBuffers && OperatingSystem.IsLinux() && TrySet(socket, SysSocket.SOL_SOCKET, name, bytes);

    private static void Report(string direction, int askedBytes, int grantedBytes)
    {
        if (grantedBytes < askedBytes && Refusals.TryPass(out long count))
        {
            SpateEventSource.Log.BufferRefused(direction, askedBytes, grantedBytes, count);
        }
    }

    private static int Halved(int bytes) => OperatingSystem.IsLinux() ? bytes / 2 : bytes;
}
