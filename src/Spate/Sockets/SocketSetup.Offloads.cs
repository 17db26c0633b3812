using System.Net.Sockets;
using Spate.Interop.Linux;
using Spate.Interop.Windows;

namespace Spate.Sockets;

/// <summary>Turns coalesced receive on, and both offloads off.</summary>
internal static partial class SocketSetup
{
    /// <summary>
    /// The longest coalesced buffer that a socket of Windows asks for: 65,535 bytes less the header of UDP, as msquic.
    /// </summary>
    public const int MaxCoalescedBytes = 65_527;

    public static bool TryEnableCoalescedReceive(Socket socket) => OperatingSystem.IsWindows()
        ? SetWindowsUdpOption(socket, Ws2IpDef.UDP_RECV_MAX_COALESCED_SIZE, MaxCoalescedBytes)
        : TrySet(socket, Udp.SOL_UDP, Udp.UDP_GRO, 1);

    /// <summary>
    /// Turns off coalescing, which may already be on in an adopted socket. A receiver that does not expect coalescing
    /// would treat each coalesced buffer as one datagram.
    /// </summary>
    public static void DisableCoalescedReceive(Socket socket)
    {
        if (OperatingSystem.IsLinux()) TrySet(socket, Udp.SOL_UDP, Udp.UDP_GRO, 0);
        else if (OperatingSystem.IsWindows()) SetWindowsUdpOption(socket, Ws2IpDef.UDP_RECV_MAX_COALESCED_SIZE, 0);
    }

    /// <summary>
    /// Turns off UDP_SEGMENT or UDP_SEND_MSG_SIZE, which may be on in an adopted socket: the system would send one
    /// datagram as several.
    /// </summary>
    public static void DisableSegmentedSend(Socket socket)
    {
        if (OperatingSystem.IsLinux()) TrySet(socket, Udp.SOL_UDP, Udp.UDP_SEGMENT, 0);
        else if (OperatingSystem.IsWindows()) SetWindowsUdpOption(socket, Ws2IpDef.UDP_SEND_MSG_SIZE, 0);
    }

    /// <summary>
    /// Sets an option of IPPROTO_UDP on Windows; each is a DWORD. Returns false if the system does not know it (before
    /// Windows 10 2004).
    /// </summary>
    public static unsafe bool SetWindowsUdpOption(Socket socket, int name, int value)
    {
        // SAFETY: the value is on the stack for the call. The caller keeps the socket open.
        return WinSock2.setsockopt(socket.Handle, Ws2IpDef.IPPROTO_UDP, name, &value, sizeof(int)) == 0;
    }
}
