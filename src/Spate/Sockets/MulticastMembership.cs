using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Sockets;

/// <summary>
/// Joins and leaves multicast groups. Source filters use the protocol-independent options (RFC 3678), on Linux only.
/// </summary>
internal static class MulticastMembership
{
    /// <exception cref="SocketException">The system refused; the message has advice.</exception>
    public static void Change(Socket socket, bool join, UdpAddress group, int? interfaceIndex, UdpAddress source)
    {
        try
        {
            // For the kernel, 0 means any interface.
            Set(socket, join, group, interfaceIndex ?? 0, source);
        }
        catch (SocketException fault)
        {
            throw SocketFaults.OfMembership(join, group, interfaceIndex, source, fault);
        }
    }

    private static void Set(Socket socket, bool join, UdpAddress group, int interfaceIndex, UdpAddress source)
    {
        if (!source.IsDefault)
        {
            ChangeSource(socket, join, group, interfaceIndex, source);
            return;
        }

        IPAddress address = group.ToIPAddress();
        object membership = group.IsIPv6
            ? new IPv6MulticastOption(address, interfaceIndex)
            : new MulticastOption(address, interfaceIndex);
        SocketOptionName name = join ? SocketOptionName.AddMembership : SocketOptionName.DropMembership;
        socket.SetSocketOption(group.IsIPv6 ? SocketOptionLevel.IPv6 : SocketOptionLevel.IP, name, membership);
    }

    private static void ChangeSource(Socket socket, bool join, UdpAddress group, int interfaceIndex, UdpAddress source)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new PlatformNotSupportedException("Source filters can be set on Linux only: leave source default.");
        }
        if (source.AddressFamily != group.AddressFamily)
        {
            throw new ArgumentException($"The source {source} is not of the group's family.", nameof(source));
        }
        group_source_req request = new() { gsr_interface = (uint)interfaceIndex };
        Write(ref request.gsr_group, group);
        Write(ref request.gsr_source, source);
        int level = group.IsIPv6 ? In.SOL_IPV6 : In.SOL_IP;
        int name = join ? In.MCAST_JOIN_SOURCE_GROUP : In.MCAST_LEAVE_SOURCE_GROUP;
        SocketSetup.Set(socket, level, name, request);
    }

    private static void Write(ref sockaddr_storage storage, UdpAddress address) =>
        address.EndPoint.NativeBytes.CopyTo(MemoryMarshal.AsBytes(new Span<sockaddr_storage>(ref storage)));
}
