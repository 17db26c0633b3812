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
    /// Pending errors that the datagram at hand has met: a second one is taken for its own, where it can be.
    /// </summary>
    public int PendingErrorCount;
}
