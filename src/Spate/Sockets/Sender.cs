using System.Net.Sockets;
using Spate.Buffers;
using Spate.Segmentation;

namespace Spate.Sockets;

/// <summary>
/// The sending side of the interface between sockets and the operating system: one virtual call per batch. Any number
/// of threads may send at the same time, each with its own batch, also while other threads receive. Timeouts are in
/// milliseconds: -1 waits forever, 0 does not wait.
/// </summary>
/// <param name="context">The socket's context.</param>
/// <param name="segments">Whether datagrams of the same peer and size are sent as GSO messages.</param>
/// <param name="usesHeaders">Whether the queues have message headers.</param>
internal abstract class Sender(SocketContext context, bool segments, bool usesHeaders)
{
    public bool Segments { get; } = segments;

    /// <summary>
    /// Whether the queues that <see cref="CreateQueue"/> makes, and <see cref="Send"/> accepts, have
    /// <see cref="SendHeaders"/>.
    /// </summary>
    public bool UsesHeaders { get; } = usesHeaders;

    protected SocketContext Context { get; } = context;

    public abstract SendQueue CreateQueue(int capacity, int bufferBytes);

    /// <summary>Sends the queued datagrams. Datagrams that were neither sent nor refused stay in the queue.</summary>
    public abstract SendResult Send(SendQueue queue, int timeoutMilliseconds);

    public abstract SendResult SendOne(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int timeoutMilliseconds);

    protected void CountRefused(SocketError error, ref SendCounters counters)
    {
        if (counters.Refused++ == 0) counters.FirstError = error;
        Context.Counters.CountRefused();
    }

    /// <summary>
    /// Sleeps for 1 ms after ENOBUFS, or ends the send if it has no time left to wait. A queue below the socket is
    /// full, and no event reports when it has room again. Retrying without a pause would only keep the queue full.
    /// </summary>
    protected bool PauseSend(ref SendCounters counters)
    {
        Context.Counters.CountNoBuffers();
        if (counters.RemainingMilliseconds(Context.Options.TimeProvider) == 0)
        {
            counters.Status = SendStatus.NoBuffers;
            return false;
        }

        Thread.Sleep(1);
        return true;
    }
}

/// <summary>
/// The state of a send: the results so far, the remaining time, and the errors of the current datagram.
/// </summary>
internal struct SendCounters
{
    /// <summary>
    /// The most errors of earlier datagrams that a send accepts before it attributes one to the current datagram.
    /// Errors that only ICMP causes can follow one another while other threads send to closed ports.
    /// </summary>
    public const int MaxPendingErrorCount = 64;

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

    /// <summary>The error with which the system refused the tried GSO message (<see cref="TriedMessage"/>).</summary>
    public int TriedError;

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

    /// <param name="remaining">The number of datagrams that were neither sent nor refused.</param>
    public readonly SendResult ToResult(int remaining) => new(Sent, Refused, remaining, FirstError, Status);
}
