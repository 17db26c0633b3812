using System.Net;
using System.Net.Sockets;
using Spate.HostTuning.Interop.Linux;

namespace Spate.HostTuning.Reading.Interfaces;

/// <summary>The largest IP packet a path carries unfragmented, and the UDP payload that fits into it.</summary>
internal static class PathMtu
{
    private const int Ipv4AndUdpHeaderBytes = 28;
    private const int Ipv6AndUdpHeaderBytes = 48;

    // The length fields have 16 bits. IPv4's includes its own header (RFC 791), IPv6's does not (RFC 8200); both
    // include UDP's 8 bytes.
    private const int MaxIpv4PayloadBytes = 65_535 - Ipv4AndUdpHeaderBytes;
    private const int MaxIpv6PayloadBytes = 65_535 - 8;

    /// <summary>
    /// What this host knows of the path; nothing is sent. On Linux that is the kernel's value for the route, lowered by
    /// what routers have reported (ip(7), IP_MTU); elsewhere the MTU of the interface of the route.
    /// </summary>
    public static bool TryFind(IPEndPoint peer, out int mtuBytes)
    {
        mtuBytes = 0;
        try
        {
            using Socket socket = RouteLookup.Connect(peer);
            mtuBytes = OperatingSystem.IsLinux() ? RouteMtu(socket) : InterfaceMtu(socket);
            return mtuBytes > 0;
        }
        catch (SocketException)
        {
            mtuBytes = 0;
            return false;
        }
    }

    /// <summary>8972 (IPv4) and 8952 (IPv6) bytes for an MTU of 9000; at most 65507 and 65527.</summary>
    public static int MaxPayload(int mtuBytes, AddressFamily family) => family == AddressFamily.InterNetworkV6
        ? Math.Clamp(mtuBytes - Ipv6AndUdpHeaderBytes, 0, MaxIpv6PayloadBytes)
        : Math.Clamp(mtuBytes - Ipv4AndUdpHeaderBytes, 0, MaxIpv4PayloadBytes);

    private static int RouteMtu(Socket socket)
    {
        Span<byte> value = stackalloc byte[sizeof(int)];
        bool isIpv6 = socket.AddressFamily == AddressFamily.InterNetworkV6;
        socket.GetRawSocketOption(
            isIpv6 ? In.IPPROTO_IPV6 : In.IPPROTO_IP, isIpv6 ? In.IPV6_MTU : In.IP_MTU, value);
        return BitConverter.ToInt32(value);
    }

    private static int InterfaceMtu(Socket socket)
    {
        IPAddress? local = (socket.LocalEndPoint as IPEndPoint)?.Address;
        InterfaceFacts? network = local is null
            ? null
            : InterfaceFacts.ReadAll().FirstOrDefault(candidate => candidate.Addresses.Contains(local));
        return network?.MtuBytes ?? 0;
    }
}
