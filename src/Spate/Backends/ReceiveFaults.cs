using Spate.Diagnostics;
using Spate.Interop.Linux;

namespace Spate.Backends;

/// <summary>
/// What a receive does about an errno, in every backend that sees them: count it, wait as long as it deserves, and say
/// whether to try again.
/// </summary>
internal sealed class ReceiveFaults(SocketContext context, Action readErrorQueue)
{
    /// <summary>Null: try again, as <paramref name="backOff"/> says. Not for EAGAIN, which is waiting.</summary>
    public ReceiveStatus? Handle(int errno, in Deadline deadline, ref ReceiveBackOff backOff)
    {
        switch (ErrnoPolicy.Decide(errno, SocketOperation.Receive))
        {
            case ErrnoAction.Retry:
                return null;
            case ErrnoAction.PendingError:
                bool isPending = backOff.OnPendingError(out bool readsErrorQueue);
                if (readsErrorQueue) readErrorQueue();

                // Afterwards: an error that is caused by somebody who saw this count is not emptied out with this one.
                context.Counters.CountIcmpError();
                if (isPending) return null;
                ReportUnknown(errno);
                return Pause(deadline, backOff.NextPauseMilliseconds());
            case ErrnoAction.Closed:
                return ReceiveStatus.Closed;
            case ErrnoAction.Bug:
                throw Bug("A receive", errno);
            case ErrnoAction.NoBuffers:
                context.Counters.CountNoBuffers();
                Report(errno);
                return Pause(deadline, 1);
            default:
                ReportUnknown(errno);
                return Pause(deadline, backOff.NextPauseMilliseconds());
        }
    }

    public static InvalidOperationException Bug(string call, int errno) => new(
        $"{call} failed with {Errno.Describe(errno)}, which means that Spate passed it wrong arguments. "
        + "Please report this.");

    private void ReportUnknown(int errno)
    {
        context.Counters.CountUnknownError();
        Report(errno);
    }

    private void Report(int errno)
    {
        if (context.Events.TryPass(EventKind.UnknownReceiveError, out long count))
            SpateEventSource.Log.UnknownReceiveError(Errno.Describe(errno), count);
    }

    private ReceiveStatus? Pause(in Deadline deadline, int pauseMilliseconds)
    {
        int remaining = deadline.RemainingMilliseconds;
        if (remaining == 0)
        {
            context.RetryReceiveLater = true;
            return ReceiveStatus.TimedOut;
        }

        context.Pause(remaining < 0 ? pauseMilliseconds : Math.Min(remaining, pauseMilliseconds));
        return context.IsClosed ? ReceiveStatus.Closed : null;
    }
}
