using Spate.Diagnostics;
using Spate.Interop.Linux;

namespace Spate.Backends;

/// <summary>
/// What a receive does about an errno, in every backend that sees them: count it, wait as long as it deserves, and say
/// whether to try again.
/// </summary>
internal sealed class ReceiveFaults(SocketContext context, Action drainErrorQueue)
{
    /// <summary>Null: try again. Not for EAGAIN, which is the wait itself.</summary>
    public ReceiveStatus? Handle(int errno, in Deadline deadline, ref ReceiveBackOff backOff)
    {
        switch (ErrnoPolicy.Decide(errno, SocketOperation.Receive))
        {
            case ErrnoAction.Retry:
                return null;
            case ErrnoAction.PendingError:
                context.Counters.CountIcmpError();
                if (context.Options.IcmpErrors) drainErrorQueue();
                return backOff.IsLastingError() ? Pause(deadline, backOff.NextPauseMilliseconds()) : null;
            case ErrnoAction.Closed:
                return ReceiveStatus.Closed;
            case ErrnoAction.Bug:
                throw Bug("A receive", errno);
            case ErrnoAction.NoBuffers:
                context.Counters.CountNoBuffers();
                return Pause(deadline, 1);
            default:
                context.Counters.CountUnknownError();
                if (context.Events.TryPass(EventKind.UnknownReceiveError, out long count))
                    SpateEventSource.Log.UnknownReceiveError(Errno.Describe(errno), count);
                return Pause(deadline, backOff.NextPauseMilliseconds());
        }
    }

    public static InvalidOperationException Bug(string call, int errno) => new(
        $"{call} failed with {Errno.Describe(errno)}, which means that Spate passed it wrong arguments. "
        + "Please report this.");

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
