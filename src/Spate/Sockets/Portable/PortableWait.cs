using System.Net.Sockets;

namespace Spate.Sockets.Portable;

/// <summary>
/// Waiting for receiver and sender. The descriptor is non-blocking. A wait is a sequence of short polls, so that Close
/// is noticed within one poll even if nothing can wake it.
/// </summary>
internal readonly struct PortableWait(SocketContext context)
{
    private const int SliceMilliseconds = 100;

    /// <summary>True if a call is worth a try; false at the timeout or once the socket is closed.</summary>
    public bool Wait(SelectMode mode, int timeoutMilliseconds)
    {
        var deadline = new Deadline(context.Options.TimeProvider, timeoutMilliseconds);
        while (!context.IsClosed)
        {
            int remaining = deadline.RemainingMilliseconds;
            int slice = Deadline.Shorter(remaining, SliceMilliseconds);
            if (context.Socket.Poll(slice * 1000, mode)) return !context.IsClosed;
            if (HasPendingError())
            {
                // No call reports an error that was taken out of the queue, so the error is counted here.
                if (!context.Errors.Drain(out bool hadError)) return !context.IsClosed;
                if (hadError) context.Counters.CountIcmpError();
                if (remaining != 0) continue;
            }

            if (remaining >= 0 && remaining <= slice) return false;
        }

        return false;
    }

    public bool IsReady(SelectMode mode) => context.Socket.Poll(0, mode) || HasPendingError();

    // A pending ICMP error ends the poll (POLLERR) without making the socket readable, so the next poll would end at
    // once too. The receive or send that follows reads the error, which clears it.
    private bool HasPendingError() => context.Socket.Poll(0, SelectMode.SelectError);
}
