using System.Collections.Concurrent;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// Address and control sizes of a socket's receive headers, and its peer if connected. A batch may be used on several
/// sockets. Its headers are rebuilt only if the layout is a different object, so unconnected sockets of one kind share
/// one layout.
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

    /// <summary>Room for the peer's address; 0 on a connected socket, whose peer is known.</summary>
    public uint NameBytes { get; }

    /// <summary>Room for control messages; 0 if none were asked for.</summary>
    public int ControlBytes { get; }

    /// <summary>The peer of a connected socket, otherwise default.</summary>
    public UdpEndPoint Remote { get; }

    public static HeaderLayout OfUnconnected(uint nameBytes, int controlBytes) =>
        Unconnected.GetOrAdd((nameBytes, controlBytes), static key => new(key.NameBytes, key.ControlBytes, default));

    public static HeaderLayout OfConnected(in UdpEndPoint remote, int controlBytes) => new(0, controlBytes, remote);
}
