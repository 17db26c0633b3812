namespace Spate.Waiting;

/// <summary>
/// Tells once per request that a socket can be read from or written to. The callback may run on any thread, and now and
/// then although nothing is there; who gets it tries the call and asks again.
/// </summary>
internal abstract class SocketReadiness : IDisposable
{
    /// <summary>
    /// Asks for one callback when any of these events holds. Repeated requests before it replace each other; one that
    /// comes after <see cref="Dispose"/> does nothing, and touches nothing that the socket has freed since.
    /// </summary>
    public abstract void Request(ReadyEvents events);

    /// <summary>Asks for one callback after about a millisecond, for a shortage that has no event (ENOBUFS).</summary>
    public abstract void RequestLater(ReadyEvents events);

    /// <summary>
    /// Whether calls wait, which nothing else may keep from being collected: then this keeps them and their socket. A
    /// socket for which none wait can be forgotten. The caller makes one call after the other.
    /// </summary>
    public abstract void Hold(bool isHeld);

    /// <summary>
    /// No callback starts after this returns, and no request is under way. The descriptor must still be open.
    /// </summary>
    public abstract void Dispose();
}
