using System.Net;
using System.Net.Sockets;

namespace Spate.HostTuning.Reading.Interfaces;

/// <summary>Tells this machine's addresses from others: by default a sender may flood its own machine only.</summary>
internal static class LocalAddresses
{
    /// <summary>Whether datagrams to an address stay on this machine.</summary>
    /// <param name="address">Any address; an IPv4-mapped one counts as the IPv4 address.</param>
    /// <returns>
    /// True for 127.0.0.0/8, ::1, the unspecified addresses (a datagram to them goes to the loopback) and every
    /// address of an interface; false for all others, multicast and broadcast included.
    /// </returns>
    public static bool Contains(IPAddress address)
    {
        IPAddress plain = address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address;
        if (IPAddress.IsLoopback(plain) || plain.Equals(IPAddress.Any) || plain.Equals(IPAddress.IPv6Any)) return true;

        return InterfaceFacts.ReadAll().Any(network => network.Addresses.Contains(plain));
    }

    /// <summary>The address of this machine from which datagrams to a peer leave. Nothing is sent.</summary>
    /// <param name="peer">The peer; the port does not matter.</param>
    /// <returns>The address that the route gives; null when there is no route.</returns>
    public static IPAddress? Toward(IPEndPoint peer)
    {
        try
        {
            using Socket socket = RouteLookup.Connect(peer);
            return (socket.LocalEndPoint as IPEndPoint)?.Address;
        }
        catch (SocketException)
        {
            return null;
        }
    }
}
