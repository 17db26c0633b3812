namespace Spate.Sockets;

/// <summary>A backend's reaction to an errno.</summary>
internal enum ErrnoAction
{
    /// <summary>A signal interrupted the call: make the same call again.</summary>
    Retry,

    /// <summary>No datagram is queued, or the send buffer has no room: wait for readiness.</summary>
    WouldBlock,

    /// <summary>
    /// An ICMP error about an earlier datagram; this call has transferred nothing. Count the error and repeat the call
    /// without a pause, because reporting the error has cleared it. If a send gets the error again and the route may be
    /// the cause (EHOSTUNREACH, for instance), its datagram is refused. A receive is repeated until it finds a datagram
    /// or an empty queue (<see cref="ReceiveBackOff"/>).
    /// </summary>
    PendingError,

    /// <summary>
    /// The system is short of memory or queue space. No event announces the end: wait a little, then try again.
    /// </summary>
    NoBuffers,

    /// <summary>
    /// The system refuses this datagram: count the refusal and send the rest of the batch. A refused GSO message is
    /// refused with all its datagrams, because they share the destination, source or interface that the system refused.
    /// </summary>
    RefuseDatagram,

    /// <summary>
    /// The system refused the GSO message and sent nothing of it. Send its datagrams without GSO, in order, and do the
    /// same for later GSO messages to its destination (<see cref="GsoFallbackList"/>).
    /// </summary>
    FallBack,

    /// <summary>
    /// As <see cref="FallBack"/>, but the reason for the refusal may be the size of the segments, or the datagrams
    /// themselves. So send the datagrams without GSO first. If the system accepts all of them, send no more GSO
    /// messages with segments of that size or larger to the destination.
    /// </summary>
    TryPlainly,

    /// <summary>The socket is closed or shut down.</summary>
    Closed,

    /// <summary>
    /// An unexpected error of this call: count it and pause, each time longer, up to 1 s. Never end the receive loop.
    /// </summary>
    BackOff,

    /// <summary>A bug of Spate, such as a bad pointer: throw an exception.</summary>
    Bug,
}
