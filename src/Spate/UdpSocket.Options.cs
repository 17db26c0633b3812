using System.Net;
using System.Net.Sockets;
using Spate.Interop.Linux;
using Spate.Sockets;

namespace Spate;

// Multicast, and options that are not in UdpSocketOptions.
public sealed partial class UdpSocket
{
    /// <summary>
    /// Whether members of a multicast group on this machine receive the datagrams that this socket sends to the group.
    /// Default true. On a dual-stack socket this applies to IPv6 groups, and on Linux to IPv4 groups too.
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
    /// The time to live or hop limit of datagrams that this socket sends to multicast groups, 0 to 255. Each router
    /// reduces the value by 1 and drops a datagram that reaches 0. Default 1: the datagrams stay in the local network.
    /// On a dual-stack socket this applies to IPv6 groups, and on Linux to IPv4 groups too.
    /// </summary>
    public int MulticastTimeToLive
    {
        get => (int)Get(SocketOptionName.MulticastTimeToLive);
        set
        {
            if (value is < 0 or > 255)
            {
                throw new ArgumentOutOfRangeException(
                    nameof(value), value, "A multicast TTL must be from 0 to 255.");
            }
            Set(SocketOptionName.MulticastTimeToLive, value);
            SetMapped(In.IP_MULTICAST_TTL, value);
        }
    }

    /// <summary>
    /// Joins a multicast group: from now on the socket receives datagrams that are sent to the group. A socket that
    /// Spate opened receives only groups that it has joined itself. By default Linux delivers to a socket any group
    /// that some socket of the machine has joined (IP_MULTICAST_ALL); Spate turns this off at open.
    /// </summary>
    /// <param name="group">
    /// A multicast address of the socket's family. A dual-stack socket can join only IPv6 groups.
    /// </param>
    /// <param name="interfaceIndex">
    /// The index of the interface to receive on, from 1; null lets the system choose.
    /// </param>
    /// <param name="source">
    /// The only sender to receive from (source-specific multicast); <c>default</c> for all senders.
    /// </param>
    /// <exception cref="ArgumentException">The group is not a multicast address or not of the socket's family, or the
    /// source is not of the group's family.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The interface index is below 1.</exception>
    /// <exception cref="SocketException">The system refused: the interface does not exist, the socket has already
    /// joined the group, or the socket is in too many groups. The message names the cause and the remedy.</exception>
    public void JoinMulticastGroup(UdpAddress group, int? interfaceIndex = null, UdpAddress source = default) =>
        MulticastMembership.Change(_context.Socket, join: true, Checked(group), Checked(interfaceIndex), source);

    /// <summary>Leaves a multicast group: the socket stops receiving datagrams that are sent to the group.</summary>
    /// <inheritdoc cref="JoinMulticastGroup"/>
    public void LeaveMulticastGroup(UdpAddress group, int? interfaceIndex = null, UdpAddress source = default) =>
        MulticastMembership.Change(_context.Socket, join: false, Checked(group), Checked(interfaceIndex), source);

    /// <summary>
    /// Sets the interface for sending to multicast groups of the socket's own family. IPv4 groups of a dual-stack
    /// socket use the interface of their route. This is a method and not a property, since Linux does not return the
    /// index for IPv4 (getsockopt of IP_MULTICAST_IF returns an address, ip.7).
    /// </summary>
    /// <param name="interfaceIndex">The index of the interface, from 1; null lets the route decide.</param>
    /// <exception cref="ArgumentOutOfRangeException">The interface index is below 1.</exception>
    /// <exception cref="SocketException">No interface has this index.</exception>
    public void SetMulticastInterface(int? interfaceIndex)
    {
        // IPv4 expects the index in network byte order, as an address of the form 0.x.x.x.
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

    /// <summary>Sets an option of the system by its level and number (setsockopt).</summary>
    /// <param name="optionLevel">The level, for instance 1 for SOL_SOCKET on Linux.</param>
    /// <param name="optionName">The number of the option.</param>
    /// <param name="optionValue">The value, in the layout that the system expects.</param>
    /// <exception cref="SocketException">The system refused.</exception>
    public void SetRawSocketOption(int optionLevel, int optionName, ReadOnlySpan<byte> optionValue)
    {
        _context.Socket.SetRawSocketOption(optionLevel, optionName, optionValue);
        if (!OnlyChoosesArrivals(optionLevel, optionName)) _context.MayQueueErrors = true;
    }

    /// <summary>Reads an option of the system by its level and number (getsockopt).</summary>
    /// <param name="optionLevel">The level, for instance 1 for SOL_SOCKET on Linux.</param>
    /// <param name="optionName">The number of the option.</param>
    /// <param name="optionValue">The memory for the value.</param>
    /// <returns>The number of bytes that were written to <paramref name="optionValue"/>.</returns>
    /// <exception cref="SocketException">The system refused.</exception>
    public int GetRawSocketOption(int optionLevel, int optionName, Span<byte> optionValue) =>
        _context.Socket.GetRawSocketOption(optionLevel, optionName, optionValue);

    private SocketOptionLevel IPLevel => _context.IsIPv6 ? SocketOptionLevel.IPv6 : SocketOptionLevel.IP;

    // Whether an option only selects which arriving datagrams the socket gets. Such an option never makes the kernel
    // queue errors. Some other options do (IP_RECVERR, SO_TIMESTAMPING), so every other option is assumed to do so.
    private static bool OnlyChoosesArrivals(int level, int name) => OperatingSystem.IsLinux()
        && level == SysSocket.SOL_SOCKET
        && name is SysSocket.SO_ATTACH_FILTER or SysSocket.SO_DETACH_FILTER or SysSocket.SO_ATTACH_REUSEPORT_CBPF
            or SysSocket.SO_INCOMING_CPU or SysSocket.SO_BINDTOIFINDEX;

    private object Get(SocketOptionName name) => _context.Socket.GetSocketOption(IPLevel, name)!;

    private void Set(SocketOptionName name, int value) => _context.Socket.SetSocketOption(IPLevel, name, value);

    // On Linux also sets the IPv4 option of a dual-stack socket, because the socket's IPv4 datagrams follow the IPv4
    // options.
    private void SetMapped(int name, int value)
    {
        if (!OperatingSystem.IsLinux() || !_context.IsIPv6 || !_context.Socket.DualMode) return;
        SetRawSocketOption(In.SOL_IP, name, BitConverter.GetBytes(value));
    }

    private static int? Checked(int? interfaceIndex)
    {
        OptionChecks.RequireRange(
            interfaceIndex, 1, int.MaxValue, nameof(interfaceIndex), ", or null for any interface");
        return interfaceIndex;
    }

    private UdpAddress Checked(UdpAddress group)
    {
        AddressFamily family = _context.Socket.AddressFamily;
        if (group.AddressFamily != family)
        {
            throw new ArgumentException($"The group {group} is not of the socket's family ({family}).", nameof(group));
        }
        return group.IsMulticast
            ? group
            : throw new ArgumentException($"{group} is not a multicast address (224.0.0.0/4 or ff00::/8).",
                nameof(group));
    }
}
