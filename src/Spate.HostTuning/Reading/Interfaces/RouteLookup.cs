using System.Net;
using System.Net.Sockets;

namespace Spate.HostTuning.Reading.Interfaces;

/// <summary>Asks the kernel for its route to a peer: connecting a UDP socket looks it up and sends nothing.</summary>
internal static class RouteLookup
{
    // Some systems refuse to connect to port 0. Any other port does; 9 is "discard".
    private const int AnyPort = 9;

    public static Socket Connect(IPEndPoint peer)
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
