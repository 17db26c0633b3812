using System.Net.Sockets;
using Spate.Segmentation;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// The state of a send: the results so far, the remaining time, and the errors of the current datagram.
/// </summary>
internal struct SendCounters
{
    public int Sent;
    public int Refused;
    public SocketError FirstError;
    public SendStatus Status;

    /// <summary>The longest time that the send may wait, in milliseconds; -1 waits forever.</summary>
    public int TimeoutMilliseconds;

    /// <summary>
    /// The number of errors that calls for the current datagram returned and that only an earlier datagram can have
    /// caused.
    /// </summary>
    public int PendingErrorCount;

    /// <summary>
    /// Whether a call for the current datagram returned an error that this or an earlier datagram may have caused. The
    /// first such error is attributed to an earlier datagram, the second to the current datagram.
    /// </summary>
    public bool MetDoubtfulError;

    /// <summary>
    /// The index of the GSO message whose datagrams are now sent without GSO, to find out why the system refused the
    /// message (<see cref="ErrnoAction.TryPlainly"/>). <see cref="SendPlan.None"/> at other times, and once one of
    /// these datagrams is refused too.
    /// </summary>
    public int TriedMessage = SendPlan.None;

    /// <summary>The errno with which the system refused the tried GSO message (<see cref="TriedMessage"/>).</summary>
    public int TriedErrno;

    private Deadline? _deadline;

    public SendCounters(int timeoutMilliseconds)
    {
        Status = SendStatus.Done;
        TimeoutMilliseconds = timeoutMilliseconds;
    }

    /// <summary>
    /// Returns the remaining time. The timeout starts with the first call of this method, before the first wait. So a
    /// send that never waits, as most, does not read the clock.
    /// </summary>
    public int RemainingMilliseconds(TimeProvider time)
    {
        _deadline ??= new Deadline(time, TimeoutMilliseconds);
        return _deadline.Value.RemainingMilliseconds;
    }

    /// <summary>
    /// Forgets the errors of the current datagram. Called when this datagram has been sent or refused.
    /// </summary>
    public void ForgetErrors()
    {
        PendingErrorCount = 0;
        MetDoubtfulError = false;
    }
}
