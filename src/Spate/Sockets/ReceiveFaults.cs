using Spate.Diagnostics;
using Spate.Interop.Linux;

namespace Spate.Sockets;

/// <summary>
/// The reaction of a receive to an error of the system, in every backend: counts the error, pauses as long as the error
/// requires, and decides whether to try again.
/// </summary>
/// <param name="context">The socket's context.</param>
/// <param name="describe">
/// Returns the name of an error number. Leave this parameter null if the numbers are errnos.
/// </param>
/// <param name="maxAttemptCount">
/// The most consecutive calls that may fail with ICMP errors before a pause; a backend whose failed calls are expensive
/// passes a smaller number.
/// </param>
internal sealed class ReceiveFaults(
    SocketContext context,
    Func<int, string>? describe = null,
    int maxAttemptCount = ReceiveBackOff.MaxAttemptCount)
{
    private readonly Func<int, string> _describe = describe ?? Errno.Describe;
    private readonly EventThrottle _events = new(context.Options.TimeProvider);

    /// <summary>
    /// Handles the errno of a failed receive. Returns null if the caller is to try again, with
    /// <paramref name="backOff"/> updated; otherwise the result of the receive. Not to be called for EAGAIN: then the
    /// caller only waits for a datagram.
    /// </summary>
    public ReceiveStatus? Handle(int errno, in Deadline deadline, ref ReceiveBackOff backOff)
    {
        ErrnoAction action = ErrnoPolicy.Of(errno).Receive;
        if (action == ErrnoAction.PendingError) context.NoteIcmpError(ErrnoPolicy.ToSocketError(errno));
        return Handle(action, errno, deadline, ref backOff);
    }

    /// <summary>
    /// Handles an error for which the caller has already chosen the action; the result means the same as in the other
    /// overload. If the error is an ICMP error, the caller has already passed it to
    /// <see cref="SocketContext.NoteIcmpError"/>.
    /// </summary>
    /// <exception cref="System.Net.Sockets.SocketException">
    /// Nobody listens at the peer's port, and the socket's options ask to report that.
    /// </exception>
    public ReceiveStatus? Handle(ErrnoAction action, int error, in Deadline deadline, ref ReceiveBackOff backOff)
    {
        switch (action)
        {
            case ErrnoAction.Retry:
                return null;
            case ErrnoAction.PendingError:
                bool isPending = backOff.OnPendingError(maxAttemptCount, out bool readsErrorQueue);
                if (readsErrorQueue) context.Errors.Drain(out _);

                // The error queue is emptied before the error is counted: a program that sees the new count may cause
                // another error at once, and Drain must not remove that error.
                context.Counters.CountIcmpError();
                context.ThrowIfPortUnreachable();
                if (isPending) return null;
                ReportUnknown(error);
                return Pause(deadline, backOff.NextPauseMilliseconds());
            case ErrnoAction.Closed:
                return ReceiveStatus.Closed;
            case ErrnoAction.Bug:
                throw Bug("A receive", _describe(error));
            case ErrnoAction.NoBuffers:
                context.Counters.CountNoBuffers();
                Report(error);
                return Pause(deadline, 1);
            default:
                ReportUnknown(error);
                return Pause(deadline, backOff.NextPauseMilliseconds());
        }
    }

    /// <summary>Counts and reports data that a receive got and cannot hand over, as an unknown error.</summary>
    /// <param name="reason">The fault of the data.</param>
    public void Refuse(string reason)
    {
        context.Counters.CountUnknownError();
        if (_events.TryPass(out long count)) SpateEventSource.Log.UnknownReceiveError(reason, count);
    }

    /// <param name="call">The call that failed.</param>
    /// <param name="error">The error of that call, in readable form.</param>
    public static InvalidOperationException Bug(string call, string error) => new(
        $"{call} failed with {error}, which means that Spate passed it wrong arguments. "
        + "Please report this.");

    private void ReportUnknown(int error)
    {
        context.Counters.CountUnknownError();
        Report(error);
    }

    private void Report(int error)
    {
        if (_events.TryPass(out long count)) SpateEventSource.Log.UnknownReceiveError(_describe(error), count);
    }

    private ReceiveStatus? Pause(in Deadline deadline, int pauseMilliseconds)
    {
        int remaining = deadline.RemainingMilliseconds;
        if (remaining == 0) return Receiver.RetryLater;
        context.Pause(Deadline.Shorter(remaining, pauseMilliseconds));
        return context.IsClosed ? ReceiveStatus.Closed : null;
    }
}
