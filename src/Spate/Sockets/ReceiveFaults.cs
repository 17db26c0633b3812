using Spate.Diagnostics;
using Spate.Interop.Linux;

namespace Spate.Sockets;

/// <summary>
/// What a receive does about an error of the system, in every backend: count it, wait as long as it deserves, and say
/// whether to try again.
/// </summary>
/// <param name="context">The socket's.</param>
/// <param name="describe">Names an error by its number; null: an errno.</param>
/// <param name="maxAttemptCount">How many calls ICMP errors may take in a row; fewer where each costs much.</param>
internal sealed class ReceiveFaults(
    SocketContext context,
    Func<int, string>? describe = null,
    int maxAttemptCount = ReceiveBackOff.MaxAttemptCount)
{
    private readonly Func<int, string> _describe = describe ?? Errno.Describe;

    /// <summary>Null: try again, as <paramref name="backOff"/> says. Not for EAGAIN, which is waiting.</summary>
    public ReceiveStatus? Handle(int errno, in Deadline deadline, ref ReceiveBackOff backOff)
    {
        ErrnoAction action = ErrnoPolicy.Decide(errno, SocketOperation.Receive);
        if (action == ErrnoAction.PendingError) context.NoteIcmpError(ErrnoPolicy.ToSocketError(errno));
        return Handle(action, errno, deadline, ref backOff);
    }

    /// <summary>
    /// The same where something else than the errno's table has decided. The caller has noted an ICMP error.
    /// </summary>
    /// <exception cref="System.Net.Sockets.SocketException">
    /// Nobody listens at the peer's port, and the socket reports that.
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

                // Afterwards: an error that is caused by somebody who saw this count is not emptied out with this one.
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

    /// <param name="call">What was called.</param>
    /// <param name="error">Its error, as a person reads it.</param>
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
        if (context.Events.TryPass(EventKind.UnknownReceiveError, out long count))
        {
            SpateEventSource.Log.UnknownReceiveError(_describe(error), count);
        }
    }

    private ReceiveStatus? Pause(in Deadline deadline, int pauseMilliseconds)
    {
        int remaining = deadline.RemainingMilliseconds;
        if (remaining == 0)
        {
            context.RetryReceiveLater = true;
            return ReceiveStatus.TimedOut;
        }

        context.Pause(Deadline.Shorter(remaining, pauseMilliseconds));
        return context.IsClosed ? ReceiveStatus.Closed : null;
    }
}
