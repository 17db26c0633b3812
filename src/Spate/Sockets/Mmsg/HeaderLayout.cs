using System.Collections.Concurrent;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// What a socket needs in its receive headers. Batches go from socket to socket; headers are built anew only where the
/// shape is another object, so unconnected sockets of one kind share theirs.
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

    /// <summary>Room for control messages; 0 where none was asked for.</summary>
    public int ControlBytes { get; }

    /// <summary>The peer of a connected socket, otherwise default.</summary>
    public UdpEndPoint Remote { get; }

    public static HeaderLayout OfUnconnected(uint nameBytes, int controlBytes) =>
        Unconnected.GetOrAdd((nameBytes, controlBytes), static key => new(key.NameBytes, key.ControlBytes, default));

    public static HeaderLayout OfConnected(in UdpEndPoint remote, int controlBytes) => new(0, controlBytes, remote);
}
