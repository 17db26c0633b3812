using System.Net;
using System.Net.Sockets;
using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Interfaces;

/// <summary>The interfaces whose datagrams reach a local address; none for the loopback, which has no device.</summary>
internal sealed record ServingInterfaces(bool IsLoopback, IReadOnlyList<string> Names)
{
    /// <summary>
    /// The one that has the address; for unspecified addresses and multicast groups those that are up and have a
    /// default route. An IPv4-mapped address counts as the IPv4 one.
    /// </summary>
    public static ServingInterfaces Find(
        IPAddress local, IReadOnlyList<InterfaceFacts> interfaces, string rootPath = "/")
    {
        IPAddress plain = local.IsIPv4MappedToIPv6 ? local.MapToIPv4() : local;
        if (IPAddress.IsLoopback(plain)) return new ServingInterfaces(IsLoopback: true, []);

        bool isAny = UdpAddress.FromIPAddress(plain) is { IsUnspecified: true } or { IsMulticast: true };
        List<string> routed = isAny ? DefaultRoutes.Read(new HostFiles(rootPath)) : [];
        var names = new List<string>();
        foreach (InterfaceFacts network in interfaces)
        {
            if (isAny ? network.IsUp && !network.IsLoopback && routed.Contains(network.Name)
                : network.Addresses.Contains(plain))
            {
                names.Add(network.Name);
            }
        }

        return new ServingInterfaces(IsLoopback: false, names);
    }
}

/// <summary>On Linux from <c>/proc/net</c> (main table only), elsewhere the interfaces with a gateway.</summary>
internal static class DefaultRoutes
{
    // linux/route.h.
    private const int RtfUp = 0x1;
    private const int RtfReject = 0x200;

    private const int MaxNames = 64;
    private const string Ipv6Zero = "00000000000000000000000000000000";

    public static List<string> Read(HostFiles files)
    {
        if (files.IsEmpty) return SystemInterfaces.WithGateway(SystemInterfaces.ReadAll(), MaxNames);

        var names = new List<string>();
        foreach (string line in files.ReadLines("proc/net/route"))
        {
            // Iface Destination Gateway Flags RefCnt Use Metric Mask ...
            string[] words = Words(line);
            if (words.Length > 7 && words[1] is "00000000" && words[7] is "00000000") Add(names, words[0], words[3]);
        }

        foreach (string line in files.ReadLines("proc/net/ipv6_route"))
        {
            // destination prefix source prefix next-hop metric references use flags device
            string[] words = Words(line);
            if (words.Length > 9 && words[0] is Ipv6Zero && words[1] is "00") Add(names, words[9], words[8]);
        }

        return names;
    }

    private static string[] Words(string line) =>
        line.Split([' ', '\t'], StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);

    private static void Add(List<string> names, string name, string flags)
    {
        if (FileText.TryParseHex(flags, out uint value) && (value & RtfUp) != 0 && (value & RtfReject) == 0
            && names.Count < MaxNames && !names.Contains(name))
        {
            names.Add(name);
        }
    }
}

/// <summary>Tells this machine's addresses from others: by default a sender may flood its own machine only.</summary>
internal static class LocalAddresses
{
    // Some systems refuse to connect to port 0. Any other port does; 9 is "discard".
    private const int AnyPort = 9;

    /// <summary>
    /// True for every address of an interface, for loopback ones, and for the unspecified ones, which lead to the
    /// loopback; false for multicast and broadcast. An IPv4-mapped address counts as the IPv4 one.
    /// </summary>
    public static bool Contains(IPAddress address)
    {
        IPAddress plain = address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address;
        if (IPAddress.IsLoopback(plain) || plain.Equals(IPAddress.Any) || plain.Equals(IPAddress.IPv6Any)) return true;

        return InterfaceFacts.ReadAll().Any(network => network.Addresses.Contains(plain));
    }

    /// <summary>The address from which datagrams to a peer leave. Nothing is sent.</summary>
    public static IPAddress? Toward(IPEndPoint peer)
    {
        try
        {
            using Socket socket = Connect(peer);
            return (socket.LocalEndPoint as IPEndPoint)?.Address;
        }
        catch (SocketException)
        {
            return null;
        }
    }

    /// <summary>Asks the kernel for its route: connecting a UDP socket looks it up and sends nothing.</summary>
    internal static Socket Connect(IPEndPoint peer)
    {
        IPAddress address = peer.Address.IsIPv4MappedToIPv6 ? peer.Address.MapToIPv4() : peer.Address;
        var socket = new Socket(address.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
        try
        {
            if (address.AddressFamily == AddressFamily.InterNetwork)
            {
                // Without this option connect(2) refuses a broadcast address with EACCES.
                socket.EnableBroadcast = true;
            }

            socket.Connect(new IPEndPoint(address, peer.Port == 0 ? AnyPort : peer.Port));
            return socket;
        }
        catch (SocketException)
        {
            socket.Dispose();
            throw;
        }
    }
}

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
            using Socket socket = LocalAddresses.Connect(peer);
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
