namespace Spate.Sockets;

/// <summary>What a backend does about an errno.</summary>
internal enum ErrnoAction
{
    /// <summary>A signal came in between: make the same call again.</summary>
    Retry,

    /// <summary>Nothing there, or no room: wait for readiness.</summary>
    WouldBlock,

    /// <summary>
    /// An ICMP error about an earlier datagram; none of this call's was touched. Count it and repeat the call without a
    /// pause: reading the error has cleared it. A send that meets it again is refused (there is no route, say); a
    /// receive goes on until it finds a datagram or nothing (<see cref="ReceiveBackOff"/>).
    /// </summary>
    PendingError,

    /// <summary>The system is short of memory. No readiness event will come: wait a little, then try again.</summary>
    NoBuffers,

    /// <summary>
    /// This datagram is refused and counted, and the rest goes on. Of a GSO message all are: they share what was
    /// refused.
    /// </summary>
    RefuseDatagram,

    /// <summary>
    /// The GSO message was not taken and nothing of it was sent: send its datagrams plainly, in order, and those of all
    /// later GSO messages to its destination too.
    /// </summary>
    FallBack,

    /// <summary>
    /// As <see cref="FallBack"/>, but the reason may be the size of the segments, or the datagrams themselves. If
    /// the system takes all of them plainly, the destination gets no GSO messages with segments of that size or larger.
    /// </summary>
    TryPlainly,

    /// <summary>The socket is closed or shut down.</summary>
    Closed,

    /// <summary>Not known on this call: count it and pause, each time longer, up to 1 s; never end the loop.</summary>
    BackOff,

    /// <summary>Our own fault, such as a bad pointer: throw.</summary>
    Bug,
}
