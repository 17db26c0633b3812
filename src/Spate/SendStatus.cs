namespace Spate;

/// <summary>How a send ended.</summary>
public enum SendStatus
{
    /// <summary>The default value: no send has taken place. No call returns it.</summary>
    None,

    /// <summary>Every datagram was sent or refused.</summary>
    Done,

    /// <summary>
    /// The send buffer is full and the time allowed is over (for the <c>Try</c> forms: none); the rest remains.
    /// </summary>
    TimedOut,

    /// <summary>
    /// The system had no memory or queue for more (ENOBUFS) and the time allowed is over; the rest remains.
    /// </summary>
    NoBuffers,

    /// <summary>The socket is closed; the rest remains.</summary>
    Closed,
}
