using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// The kinds of readiness of a socket. An error or a hang-up counts as both kinds, because a call then returns at once.
/// </summary>
[Flags]
internal enum ReadyEvents
{
    None = 0,
    Readable = 1,
    Writable = 2,
}

/// <summary>
/// Calls back once per request when a socket can be read from or written to. The callback may run on any thread, and
/// sometimes although the socket is not ready. So the callback tries the waiting calls, and requests again if a call
/// still waits.
/// </summary>
internal abstract class SocketReadiness : IDisposable
{
    /// <summary>Creates the readiness that the receiver's traits require.</summary>
    /// <param name="receiver">The receiver of the socket.</param>
    /// <param name="context">The context of the socket.</param>
    /// <param name="ready">The callback, which gets the events that have happened.</param>
    /// <exception cref="System.Net.Sockets.SocketException">No descriptor is free for the shared epoll set.</exception>
    public static SocketReadiness Create(Receiver receiver, SocketContext context, Action<ReadyEvents> ready)
    {
        if (receiver.Traits.IsWaitedForByRuntime) return new PeekReadiness(context.Socket, ready, context);

        // If only one thread may receive, receives cannot be awaited, so the readiness serves only sends. A receiver
        // whose poll descriptor is the socket itself has nothing to prepare.
        int socket = context.Descriptor;
        return receiver.Traits.NeedsOneThread || receiver.Traits.PollDescriptor == socket
            ? new EpollReadiness(socket, socket, prepareToRead: null, ready)
            : new EpollReadiness(receiver.Traits.PollDescriptor, socket, receiver.PrepareToWait, ready);
    }

    /// <summary>
    /// Requests one callback when any of these events happens. Requests before the callback are combined. A request
    /// after <see cref="Dispose"/> does nothing, and does not touch memory that the socket has freed.
    /// </summary>
    public abstract void Request(ReadyEvents events);

    /// <summary>
    /// Requests one callback after about a millisecond. For a failure such as ENOBUFS, whose end no event announces.
    /// </summary>
    public abstract void RequestLater(ReadyEvents events);

    /// <summary>
    /// Notes whether calls wait. While calls wait, the readiness keeps the calls and their socket from being collected,
    /// because possibly nothing else references them. A socket without waiting calls may be collected. Calls of this
    /// method must not overlap.
    /// </summary>
    public abstract void KeepAlive(bool hasWaiting);

    /// <summary>
    /// Ends the callbacks. When this method returns, no request uses memory of the socket any more. A callback that was
    /// already about to start may still run. The descriptor must still be open.
    /// </summary>
    public abstract void Dispose();
}
