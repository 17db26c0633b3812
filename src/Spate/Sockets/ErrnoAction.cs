namespace Spate.Sockets;

/// <summary>A backend's reaction to an errno.</summary>
internal enum ErrnoAction
{
    /// <summary>A signal interrupted the call: make the same call again.</summary>
    Retry,

    /// <summary>No datagram is queued, or the send buffer has no room: wait for readiness.</summary>
    WouldBlock,

    /// <summary>
    /// An ICMP error about an earlier datagram; none of this call's datagrams was touched. Count the error and repeat
    /// the call without a pause, because reading the error has cleared it. A send that meets the error again is refused
    /// if the route may be the cause (EHOSTUNREACH, for instance). A receive is repeated until it finds a datagram or
    /// an empty queue (<see cref="ReceiveBackOff"/>).
    /// </summary>
    PendingError,

    /// <summary>The system is short of memory. No readiness event will come: wait a little, then try again.</summary>
    NoBuffers,

    /// <summary>
    /// This datagram is refused and counted, and the send goes on with the rest. Of a GSO message all datagrams are
    /// refused: they share the destination, source or interface that the system refused.
    /// </summary>
    RefuseDatagram,

    /// <summary>
    /// The system refused the GSO message and sent nothing of it. Send its datagrams without GSO, in order, and do the
    /// same for all later GSO messages to its destination.
    /// </summary>
    FallBack,

    /// <summary>
    /// As <see cref="FallBack"/>, but the reason may be the size of the segments, or the datagrams themselves. If the
    /// system accepts all datagrams without GSO, the destination gets no GSO messages with segments of that size or
    /// larger.
    /// </summary>
    TryPlainly,

    /// <summary>The socket is closed or shut down.</summary>
    Closed,

    /// <summary>Not known on this call: count it and pause, each time longer, up to 1 s; never end the loop.</summary>
    BackOff,

    /// <summary>Our own fault, such as a bad pointer: throw.</summary>
    Bug,
}
