using System.Diagnostics;
using System.Runtime.InteropServices;
using Spate.Interop.Windows;
using Spate.Messages;

namespace Spate.Sockets.Winsock;

/// <summary>
/// Writes the control messages of WSASendMsg, in the layout of <see cref="ControlMessages"/>, which 64-bit Windows
/// shares with 64-bit Linux. Has no state of its own.
/// </summary>
internal static class WinsockControlWriter
{
    /// <summary>
    /// The most bytes that <see cref="Write"/> writes: 24 for UDP_SEND_MSG_SIZE, 24 for the traffic class, and 40 for
    /// IPV6_PKTINFO.
    /// </summary>
    public const int MaxBytes = 88;

    /// <summary>The highest value of the two bits for ECN.</summary>
    public const int MaxEcn = 3;

    /// <summary>Writes the size of the segments. Returns the number of bytes written.</summary>
    public static int WriteSegmentSize(Span<byte> room, int segmentBytes)
    {
        // A DWORD, unlike the 16 bits of UDP_SEGMENT (ws2tcpip, WSASetUdpSendMessageSize).
        var writer = new ControlMessageWriter(room);
        writer.Add(Ws2IpDef.IPPROTO_UDP, Ws2IpDef.UDP_SEND_MSG_SIZE, (uint)segmentBytes);
        return writer.Length;
    }

    /// <summary>
    /// Writes the control messages for the options of a datagram. Returns the number of bytes written. Transmit time
    /// and time to live have none on Windows.
    /// </summary>
    /// <param name="room">The destination of the control messages.</param>
    /// <param name="control">The options of the datagram; an option that is not set needs no control message.</param>
    /// <param name="isIPv4">Whether the datagram is sent over IPv4, which an IPv6 socket can do too.</param>
    /// <param name="takesTrafficClass">Whether the system takes the whole traffic class, not only ECN.</param>
    public static int Write(Span<byte> room, in SendControl control, bool isIPv4, bool takesTrafficClass)
    {
        var writer = new ControlMessageWriter(room);
        if (control.TrafficClass is { } trafficClass)
        {
            // An INT for all of these (winsock/winsock-ecn; msquic, datapath_winuser.c).
            Debug.Assert(takesTrafficClass || trafficClass <= MaxEcn, "The sender has refused other values.");
            (int level, int whole, int ecn) = isIPv4
                ? (Ws2IpDef.IPPROTO_IP, Ws2IpDef.IP_TOS, Ws2IpDef.IP_ECN)
                : (Ws2IpDef.IPPROTO_IPV6, Ws2IpDef.IPV6_TCLASS, Ws2IpDef.IPV6_ECN);
            writer.Add(level, takesTrafficClass ? whole : ecn, trafficClass);
        }

        if (control.InterfaceIndex is null && control.LocalAddress.IsDefault) return writer.Length;

        // WSASendMsg: the form follows the peer's address. A mapped peer of an IPv6 socket needs IP_PKTINFO.
        uint interfaceIndex = (uint)(control.InterfaceIndex ?? 0);
        if (isIPv4)
        {
            IN_PKTINFO info = new() { ipi_addr = control.LocalAddress.NativeIPv4, ipi_ifindex = interfaceIndex };
            writer.Add(Ws2IpDef.IPPROTO_IP, Ws2IpDef.IP_PKTINFO, info);
        }
        else
        {
            IN6_PKTINFO info = default;
            Span<byte> address = MemoryMarshal.AsBytes(new Span<IN6_PKTINFO>(ref info))[..16];
            if (control.LocalAddress.IsIPv6) control.LocalAddress.TryWriteBytes(address, out _);
            info.ipi6_ifindex = interfaceIndex != 0 ? interfaceIndex : control.LocalAddress.ScopeId;
            writer.Add(Ws2IpDef.IPPROTO_IPV6, Ws2IpDef.IPV6_PKTINFO, info);
        }

        Debug.Assert(writer.Length <= MaxBytes);
        return writer.Length;
    }
}
