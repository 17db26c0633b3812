using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// The readiness of a socket. Errors and hang-ups count as both kinds, since a call will then return at once.
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
/// sometimes although nothing is there: the callback tries the call and requests again.
/// </summary>
internal abstract class SocketReadiness : IDisposable
{
    /// <summary>Creates the readiness that the receiver's traits require.</summary>
    /// <param name="receiver">The socket's.</param>
    /// <param name="context">The socket's.</param>
    /// <param name="ready">The callback.</param>
    /// <exception cref="System.Net.Sockets.SocketException">No descriptor is free for the shared epoll set.</exception>
    public static SocketReadiness Create(Receiver receiver, SocketContext context, Action<ReadyEvents> ready)
    {
        if (receiver.Traits.IsWaitedForByRuntime) return new PeekReadiness(context.Socket, ready, context);

        // Where one thread alone may receive, only sends are awaited. A receiver that is polled by the socket's own
        // descriptor has nothing to prepare.
        int socket = context.Descriptor;
        return receiver.Traits.NeedsOneThread || receiver.Traits.PollDescriptor == socket
            ? new EpollReadiness(socket, socket, prepareToRead: null, ready)
            : new EpollReadiness(receiver.Traits.PollDescriptor, socket, receiver.PrepareToWait, ready);
    }

    /// <summary>
    /// Asks for one callback when any of these events holds. Repeated requests before the callback replace each other.
    /// A request after <see cref="Dispose"/> does nothing, and touches nothing that the socket has freed since.
    /// </summary>
    public abstract void Request(ReadyEvents events);

    /// <summary>Asks for one callback after about a millisecond, for a shortage that has no event (ENOBUFS).</summary>
    public abstract void RequestLater(ReadyEvents events);

    /// <summary>
    /// Tells whether calls wait. While they do, this keeps them and their socket from being collected, since perhaps
    /// nothing else refers to them. A socket for which no call waits may be collected. One call at a time.
    /// </summary>
    public abstract void KeepAlive(bool hasWaiting);

    /// <summary>
    /// No callback starts after this returns, and no request is under way. The descriptor must still be open.
    /// </summary>
    public abstract void Dispose();
}
