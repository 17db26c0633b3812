using System.Net.Sockets;

namespace Spate.Sockets.Mmsg;

/// <summary>What a send has come to so far.</summary>
internal struct SendTally()
{
    public int Sent;
    public int Refused;
    public SocketError FirstError;
    public SendStatus Status = SendStatus.Done;

    /// <summary>Errors that the datagram at hand has met and that can only be an earlier one's.</summary>
    public int PendingErrorCount;

    /// <summary>
    /// Whether the datagram at hand has met an error that may be its own or an earlier one's: the second is its own.
    /// </summary>
    public bool MetDoubtfulError;

    /// <summary>The datagram at hand is dealt with.</summary>
    public void ForgetErrors()
    {
        PendingErrorCount = 0;
        MetDoubtfulError = false;
    }
}
