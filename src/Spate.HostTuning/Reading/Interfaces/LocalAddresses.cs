using System.Net;
using System.Net.Sockets;

namespace Spate.HostTuning.Reading.Interfaces;

/// <summary>Tells this machine's addresses from others: by default a sender may flood its own machine only.</summary>
internal static class LocalAddresses
{
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
            using Socket socket = RouteLookup.Connect(peer);
            return (socket.LocalEndPoint as IPEndPoint)?.Address;
        }
        catch (SocketException)
        {
            return null;
        }
    }
}
