using System.Net.Sockets;

namespace Spate.Backends.Mmsg;

/// <summary>What a send has come to so far. FirstError starts as the default, Success.</summary>
internal struct SendTally
{
    public int Sent;
    public int Refused;
    public SocketError FirstError;
    public SendStatus Status;

    /// <summary>
    /// Whether the datagram at hand has met a pending error already; a second one is taken for its own.
    /// </summary>
    public bool MetPendingError;
}
