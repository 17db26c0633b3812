using System.Net.Sockets;
using Spate.Segmentation;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// The state of a send: its results so far, its remaining time and the errors of the current datagram.
/// </summary>
internal struct SendCounters
{
    public int Sent;
    public int Refused;
    public SocketError FirstError;
    public SendStatus Status;

    /// <summary>The longest wait; -1: forever.</summary>
    public int TimeoutMilliseconds;

    /// <summary>Errors that the current datagram has met and that only an earlier datagram can have caused.</summary>
    public int PendingErrorCount;

    /// <summary>
    /// Whether the current datagram has met an error that it or an earlier datagram may have caused. A second such
    /// error is its own.
    /// </summary>
    public bool MetDoubtfulError;

    /// <summary>
    /// The GSO message that is sent as plain datagrams to find out why it was refused
    /// (<see cref="ErrnoAction.TryPlainly"/>), as long as none of the datagrams is refused too.
    /// </summary>
    public int TriedMessage = SendPlan.None;

    /// <summary>The errno with which the system refused that GSO message.</summary>
    public int TriedErrno;

    private Deadline? _deadline;

    public SendCounters(int timeoutMilliseconds)
    {
        Status = SendStatus.Done;
        TimeoutMilliseconds = timeoutMilliseconds;
    }

    /// <summary>
    /// The time starts with the first call, before the first wait. Most sends never wait, and so never read the clock.
    /// </summary>
    public int RemainingMilliseconds(TimeProvider time)
    {
        _deadline ??= new Deadline(time, TimeoutMilliseconds);
        return _deadline.Value.RemainingMilliseconds;
    }

    /// <summary>Call this when the current datagram has been sent or refused.</summary>
    public void ForgetErrors()
    {
        PendingErrorCount = 0;
        MetDoubtfulError = false;
    }
}
