using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Windows;

namespace Spate.Sockets;

/// <summary>Creates sockets for Registered I/O, which .NET itself cannot create. Windows only.</summary>
internal static partial class SocketSetup
{
    /// <exception cref="SocketException">The system refused.</exception>
    internal static Socket CreateRegistered(AddressFamily family)
    {
        // The first use of the runtime's sockets starts Winsock (WSAStartup).
        bool isSupported = family == AddressFamily.InterNetworkV6 ? Socket.OSSupportsIPv6 : Socket.OSSupportsIPv4;
        if (!isSupported) throw new SocketException((int)SocketError.AddressFamilyNotSupported);
        const uint flags = WinSock2.WSA_FLAG_OVERLAPPED | WinSock2.WSA_FLAG_NO_HANDLE_INHERIT
            | WinSock2.WSA_FLAG_REGISTERED_IO;
        nint handle = MakeRegistered(
            family == AddressFamily.InterNetworkV6
                ? UdpEndPoint.NativeFamily.IPv6
                : UdpEndPoint.NativeFamily.IPv4,
            flags);
        if (handle == WinSock2.INVALID_SOCKET) throw new SocketException(Marshal.GetLastPInvokeError());
        return new Socket(new SafeSocketHandle(handle, ownsHandle: true));
    }

    // SAFETY: no pointer but null is passed.
    private static unsafe nint MakeRegistered(int family, uint flags) =>
        WinSock2.WSASocketW(family, WinSock2.SOCK_DGRAM, WinSock2.IPPROTO_UDP, null, 0, flags);
}
