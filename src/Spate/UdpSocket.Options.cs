using System.Net;
using System.Net.Sockets;
using Spate.Interop.Linux;
using Spate.Sockets;

namespace Spate;

// Multicast and options beyond UdpSocketOptions.
public sealed partial class UdpSocket
{
    /// <summary>
    /// Whether members of a group on this machine receive the datagrams that this socket sends to the group. Default
    /// true. On a dual-stack socket this applies to IPv6 groups, and on Linux to IPv4 groups too.
    /// </summary>
    public bool MulticastLoopback
    {
        get => (int)Get(SocketOptionName.MulticastLoopback) != 0;
        set
        {
            Set(SocketOptionName.MulticastLoopback, value ? 1 : 0);
            SetMapped(In.IP_MULTICAST_LOOP, value ? 1 : 0);
        }
    }

    /// <summary>
    /// How many routers a datagram to a group may pass. Default 1: the local network. On a dual-stack socket this
    /// applies to IPv6 groups, and on Linux to IPv4 groups too.
    /// </summary>
    public int MulticastTimeToLive
    {
        get => (int)Get(SocketOptionName.MulticastTimeToLive);
        set
        {
            if (value is < 0 or > 255)
            {
                throw new ArgumentOutOfRangeException(nameof(value), value, "A multicast time to live is 0 to 255.");
            }
            Set(SocketOptionName.MulticastTimeToLive, value);
            SetMapped(In.IP_MULTICAST_TTL, value);
        }
    }

    /// <summary>
    /// Receives datagrams to a group from now on. The socket receives only groups that it has joined itself. Under
    /// Linux other sockets also receive a group that any socket of the machine has joined (IP_MULTICAST_ALL, which
    /// Spate turns off at open).
    /// </summary>
    /// <param name="group">A multicast address of the socket's family; a dual-stack socket joins IPv6 groups.</param>
    /// <param name="interfaceIndex">The index of the interface, from 1; null lets the system choose.</param>
    /// <param name="source">The only sender to hear (source-specific multicast), or null for all.</param>
    /// <exception cref="ArgumentException">The group is not a multicast address or not of the socket's family, or the
    /// source is not of the group's family.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The interface index is below 1.</exception>
    /// <exception cref="SocketException">The system refused: no such interface, joined already, too many groups. The
    /// message names the cause and the remedy.</exception>
    public void JoinMulticast(IPAddress group, int? interfaceIndex = null, IPAddress? source = null) =>
        MulticastMembership.Change(_context.Socket, join: true, Checked(group), Checked(interfaceIndex), source);

    /// <summary>Stops receiving datagrams to a group.</summary>
    /// <inheritdoc cref="JoinMulticast"/>
    public void LeaveMulticast(IPAddress group, int? interfaceIndex = null, IPAddress? source = null) =>
        MulticastMembership.Change(_context.Socket, join: false, Checked(group), Checked(interfaceIndex), source);

    /// <summary>
    /// Sets the interface that datagrams to groups of the socket's own family leave by. A dual-stack socket's IPv4
    /// groups follow their route. It is a method, since Linux does not give the index back for IPv4 (getsockopt of
    /// IP_MULTICAST_IF returns an address, ip.7).
    /// </summary>
    /// <param name="interfaceIndex">The index of the interface, from 1; null lets the route decide.</param>
    /// <exception cref="ArgumentOutOfRangeException">The interface index is below 1.</exception>
    /// <exception cref="SocketException">No interface has this index.</exception>
    public void SetMulticastInterface(int? interfaceIndex)
    {
        // IPv4 wants the index in network order, as an address of the form 0.x.x.x.
        int index = Checked(interfaceIndex) ?? 0;
        int value = _context.IsIPv6 ? index : IPAddress.HostToNetworkOrder(index);
        try
        {
            Set(SocketOptionName.MulticastInterface, value);
        }
        catch (SocketException fault)
        {
            throw SocketFaults.OfMulticastInterface(interfaceIndex, fault);
        }
    }

    /// <summary>Sets an option by its native numbers (setsockopt).</summary>
    /// <param name="level">The level, for instance 1 for SOL_SOCKET on Linux.</param>
    /// <param name="name">The option.</param>
    /// <param name="value">Its value as the system lays it out.</param>
    /// <exception cref="SocketException">The system refused.</exception>
    public void SetRawOption(int level, int name, ReadOnlySpan<byte> value)
    {
        _context.Socket.SetRawSocketOption(level, name, value);
        if (!OnlyChoosesArrivals(level, name)) _context.MayQueueErrors = true;
    }

    /// <summary>Reads an option by its native numbers (getsockopt).</summary>
    /// <param name="level">The level.</param>
    /// <param name="name">The option.</param>
    /// <param name="value">Room for its value.</param>
    /// <returns>How many bytes were written.</returns>
    /// <exception cref="SocketException">The system refused.</exception>
    public int GetRawOption(int level, int name, Span<byte> value) =>
        _context.Socket.GetRawSocketOption(level, name, value);

    private SocketOptionLevel IPLevel => _context.IsIPv6 ? SocketOptionLevel.IPv6 : SocketOptionLevel.IP;

    // Options that only select arriving datagrams never make the kernel queue errors. Some other options do
    // (IP_RECVERR, SO_TIMESTAMPING), so every other option is assumed to.
    private static bool OnlyChoosesArrivals(int level, int name) => OperatingSystem.IsLinux()
        && level == SysSocket.SOL_SOCKET
        && name is SysSocket.SO_ATTACH_FILTER or SysSocket.SO_DETACH_FILTER or SysSocket.SO_ATTACH_REUSEPORT_CBPF
            or SysSocket.SO_INCOMING_CPU or SysSocket.SO_BINDTOIFINDEX;

    private object Get(SocketOptionName name) => _context.Socket.GetSocketOption(IPLevel, name)!;

    private void Set(SocketOptionName name, int value) => _context.Socket.SetSocketOption(IPLevel, name, value);

    // IPv4 datagrams of an IPv6 socket follow the IPv4 options.
    private void SetMapped(int name, int value)
    {
        if (!OperatingSystem.IsLinux() || !_context.IsIPv6 || !_context.Socket.DualMode) return;
        SetRawOption(In.SOL_IP, name, BitConverter.GetBytes(value));
    }

    private static int? Checked(int? interfaceIndex) => interfaceIndex is null or > 0
        ? interfaceIndex
        : throw new ArgumentOutOfRangeException(
            nameof(interfaceIndex), interfaceIndex, "An interface index is 1 or more; null is any interface.");

    private IPAddress Checked(IPAddress group)
    {
        ArgumentNullException.ThrowIfNull(group);
        AddressFamily family = _context.Socket.AddressFamily;
        if (group.AddressFamily != family)
        {
            throw new ArgumentException($"The group {group} is not of the socket's family ({family}).", nameof(group));
        }
        return new UdpEndPoint(group, 0).IsMulticast
            ? group
            : throw new ArgumentException($"{group} is not a multicast address (224.0.0.0/4 or ff00::/8).",
                nameof(group));
    }
}
