using System.Net.Sockets;

namespace Spate.Sockets.Portable;

/// <summary>
/// Waits until the socket is readable or writable, for receiver and sender. The descriptor is non-blocking. A wait is a
/// sequence of short polls, so that it notices Close within one poll even if nothing can wake that poll.
/// </summary>
internal readonly struct PortableWait(SocketContext context)
{
    private const int SliceMilliseconds = 100;

    /// <summary>
    /// Returns true if the caller should try its receive or send. Returns false at the timeout, or once the socket is
    /// closed.
    /// </summary>
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
                if (!context.Errors.DrainAndCount()) return !context.IsClosed;
                if (remaining != 0) continue;
            }

            if (remaining >= 0 && remaining <= slice) return false;
        }

        return false;
    }

    public bool IsReady(SelectMode mode) => context.Socket.Poll(0, mode) || HasPendingError();

    // Whether an ICMP error is pending. Such an error ends a poll (POLLERR) although the socket is not readable, so the
    // next poll would end at once too. The receive or send that follows reads the error and so clears it.
    private bool HasPendingError() => context.Socket.Poll(0, SelectMode.SelectError);
}
