using System.Net;
using System.Net.Sockets;
using Spate.Diagnostics;
using Spate.Escaping;

namespace Spate.Sockets;

/// <summary>
/// Turns errors of the system into exceptions whose messages name the refused port, address, interface or group, and
/// give advice. The error code stays the same.
/// </summary>
internal static class SocketFaults
{
    private const int FirstUnprivilegedPort = 1024;

    /// <summary>
    /// The most characters shown of an interface name: twice the longest possible name (IFNAMSIZ in net/if.h, 16).
    /// </summary>
    private const int MaxDeviceChars = 32;

    public static SocketException OfFamily(SocketException fault) => New(
        fault,
        fault.SocketErrorCode == SocketError.AddressFamilyNotSupported
            ? "This system has no IPv6: use an IPv4 address."
            : $"No socket could be opened: {fault.Message}.");

    public static SocketException OfBind(in UdpEndPoint local, SocketException fault) =>
        New(fault, fault.SocketErrorCode switch
        {
            SocketError.AddressAlreadyInUse when local.Port == 0 =>
                $"All ports that the system may choose from are in use at {local}: close some sockets, or widen the "
                + "range (on Linux net.ipv4.ip_local_port_range).",
            SocketError.AddressAlreadyInUse =>
                $"Port {local.Port} is in use at {local}: choose another port, or end the program that uses it.",
            SocketError.AddressNotAvailable =>
                $"{local} is not an address of this machine: use one that is, or 0.0.0.0 or [::] for all of them.",
            SocketError.AccessDenied when OperatingSystem.IsWindows() => PortExcluded(local),
            SocketError.AccessDenied when local.Port is > 0 and < FirstUnprivilegedPort =>
                $"No permission for port {local.Port}: choose one from {FirstUnprivilegedPort} on, or run as root.",
            SocketError.AccessDenied => $"No permission to receive at {local}: choose another port or address.",
            SocketError.InvalidArgument when LacksZone(local) => ZoneMissing(local),
            SocketError.SocketError when local.ScopeId != 0 =>
                $"The zone of {local} is not an interface of this machine: 'ip link' lists them on Linux.",
            _ => $"Cannot receive at {local}: {Said(fault)}.",
        });

    /// <param name="peer">The peer to connect to.</param>
    /// <param name="mayBroadcast">Whether the socket may send to broadcast addresses.</param>
    /// <param name="fault">The system's error.</param>
    public static SocketException OfConnect(in UdpEndPoint peer, bool mayBroadcast, SocketException fault) =>
        New(fault, fault.SocketErrorCode switch
        {
            SocketError.NetworkUnreachable or SocketError.HostUnreachable =>
                $"No route to {peer}: check the address and the network.",
            SocketError.AccessDenied when mayBroadcast =>
                $"No permission to send to {peer}: a firewall or a prohibited route refuses it.",
            SocketError.AccessDenied =>
                $"No permission to send to {peer}: a broadcast address needs the option EnableBroadcast, and a "
                + "firewall or a prohibited route may refuse others.",
            SocketError.AddressNotAvailable =>
                $"No address of this machine can send to {peer}: configure one of that family, or "
                + "use an address of the other family.",
            SocketError.InvalidArgument when LacksZone(peer) => ZoneMissing(peer),
            SocketError.InvalidArgument =>
                $"The route to {peer} is a dead end (such as a blackhole): 'ip route get' shows it on Linux.",
            _ => $"Cannot connect to {peer}: {Said(fault)}.",
        });

    public static SocketException OfDevice(string device, SocketException fault)
    {
        // The application may pass on untrusted text, so remove control characters, which could affect a terminal.
        string shown = LogSanitizer.Clean(device, MaxDeviceChars);
        return New(fault, fault.SocketErrorCode == SocketError.AccessDenied
            ? $"No permission to bind to the interface '{shown}': it needs CAP_NET_RAW; or leave BindToDevice null."
            : $"No interface '{shown}' to bind to: 'ip link' lists them; BindToDevice null is any.");
    }

    public static SocketException OfMembership(
        bool join, UdpAddress group, int? interfaceIndex, UdpAddress source, SocketException fault)
    {
        string what = source.IsDefault ? $"{group}" : $"{group} from {source}";
        string by = interfaceIndex is null ? string.Empty : $" by interface {interfaceIndex}";
        return New(fault, fault.SocketErrorCode switch
        {
            // SocketError means ENODEV here, for which System.Net.Sockets has no code of its own.
            SocketError.SocketError when interfaceIndex is null =>
                $"No interface leads to the group {what}: add a route to the group, or name an interface by its index.",
            SocketError.SocketError =>
                $"No interface with the index {interfaceIndex} for the group {what}: 'ip link' lists them "
                + "on Linux; null lets the system choose.",
            SocketError.AddressAlreadyInUse => $"The socket has joined the group {what}{by} already: join it once.",
            SocketError.AddressNotAvailable when join && !source.IsDefault =>
                $"The socket has joined the group {what}{by} already: join it once.",
            SocketError.NoBufferSpaceAvailable =>
                $"The socket cannot join the group {what} in addition to its groups: use another socket, or on "
                + "Linux raise net.ipv4.igmp_max_memberships (groups) or igmp_max_msf (sources).",
            SocketError.AddressNotAvailable or SocketError.InvalidArgument when !join =>
                $"The socket is not in the group {what}{by}: leave a joined group, by the same interface and source.",
            _ => $"Cannot {(join ? "join" : "leave")} the group {what}{by}: {fault.Message}.",
        });
    }

    public static SocketException OfMulticastInterface(int? interfaceIndex, SocketException fault) => New(
        fault,
        $"No interface with the index {interfaceIndex} to send to groups by: 'ip link' lists them on Linux; "
        + "null lets the route decide.");

    // Whether an IPv6 address needs a zone but has none: fe80::/10, and multicast groups with link-local scope, such as
    // ff02:: and ff12:: (RFC 4291).
    private static bool LacksZone(in UdpEndPoint endPoint)
    {
        if (endPoint is not { IsIPv6: true, ScopeId: 0 }) return false;
        IPAddress address = endPoint.Address.ToIPAddress();
        return address.IsIPv6LinkLocal || (address.IsIPv6Multicast && (address.GetAddressBytes()[1] & 0xF) == 2);
    }

    // Returns the system's text for the error code. The exception's own message is not used: after a refused connect it
    // ends with the end point, which our messages name already.
    private static string Said(SocketException fault) => new SocketException((int)fault.SocketErrorCode).Message;

    private static string ZoneMissing(in UdpEndPoint endPoint) =>
        $"{endPoint} is a link-local address, which needs its interface as a zone: [ADDRESS%INTERFACE]:PORT.";

    // Windows has one code for both causes; netsh lists the ports that the system keeps, of each family.
    internal static string PortExcluded(in UdpEndPoint local) =>
        $"No permission for port {local.Port} at {local}: another program has it exclusively, or the system reserves "
        + $"it ('netsh interface {(local.IsIPv6 ? "ipv6" : "ipv4")} show excludedportrange udp'): choose another port.";

    private static SocketException New(SocketException fault, string message) =>
        new((int)fault.SocketErrorCode, message);
}
