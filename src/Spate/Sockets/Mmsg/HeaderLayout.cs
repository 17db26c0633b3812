using System.Collections.Concurrent;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// The layout of a socket's receive headers: the sizes of address and control messages, and the peer if the socket is
/// connected. A batch may be used on several sockets in turn. The batch rebuilds its headers whenever the next socket
/// has another layout object, so unconnected sockets with equal sizes share one layout object.
/// </summary>
internal sealed class HeaderLayout
{
    private static readonly ConcurrentDictionary<(uint NameBytes, int ControlBytes), HeaderLayout> Unconnected = new();

    private HeaderLayout(uint nameBytes, int controlBytes, in UdpEndPoint remote)
    {
        NameBytes = nameBytes;
        ControlBytes = controlBytes;
        Remote = remote;
    }

    /// <summary>The number of bytes for the peer's address; 0 on a connected socket, whose peer is known.</summary>
    public uint NameBytes { get; }

    /// <summary>The number of bytes for control messages; 0 if the socket needs none.</summary>
    public int ControlBytes { get; }

    /// <summary>The peer of a connected socket, otherwise default.</summary>
    public UdpEndPoint Remote { get; }

    public static HeaderLayout OfUnconnected(uint nameBytes, int controlBytes) =>
        Unconnected.GetOrAdd((nameBytes, controlBytes), static key => new(key.NameBytes, key.ControlBytes, default));

    public static HeaderLayout OfConnected(in UdpEndPoint remote, int controlBytes) => new(0, controlBytes, remote);
}
