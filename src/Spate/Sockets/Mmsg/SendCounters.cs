using System.Net.Sockets;
using Spate.Segmentation;

namespace Spate.Sockets.Mmsg;

/// <summary>What a send has come to so far, and how long it may still wait.</summary>
internal struct SendCounters
{
    public int Sent;
    public int Refused;
    public SocketError FirstError;
    public SendStatus Status;

    /// <summary>-1: for ever.</summary>
    public int TimeoutMilliseconds;

    /// <summary>Errors that the datagram at hand has met and that only an earlier one can have caused.</summary>
    public int PendingErrorCount;

    /// <summary>
    /// Whether the datagram at hand has met an error that it or an earlier one may have caused: the second such error
    /// is its own.
    /// </summary>
    public bool MetDoubtfulError;

    /// <summary>
    /// The GSO message whose datagrams go plainly to find out why it was refused (<see
    /// cref="ErrnoAction.TryPlainly"/>), for as long as none of them is refused too.
    /// </summary>
    public int TriedMessage = SendPlan.None;

    /// <summary>Why that GSO message was refused.</summary>
    public int TriedErrno;

    private Deadline? _deadline;

    public SendCounters(int timeoutMilliseconds)
    {
        Status = SendStatus.Done;
        TimeoutMilliseconds = timeoutMilliseconds;
    }

    /// <summary>The time starts with the first call of this, before the first wait: most sends never wait.</summary>
    public int RemainingMilliseconds(TimeProvider time)
    {
        _deadline ??= new Deadline(time, TimeoutMilliseconds);
        return _deadline.Value.RemainingMilliseconds;
    }

    /// <summary>To be called when the datagram at hand has been sent or refused.</summary>
    public void ForgetErrors()
    {
        PendingErrorCount = 0;
        MetDoubtfulError = false;
    }
}
