namespace Spate;

/// <summary>How a send ended.</summary>
public enum SendStatus
{
    /// <summary>The default value: no send has taken place. No call returns it.</summary>
    None,

    /// <summary>Every datagram was sent or refused.</summary>
    Done,

    /// <summary>
    /// The send buffer is full. Unsent datagrams remain. Returned by the <c>Try</c> methods, which do not wait.
    /// </summary>
    Full,

    /// <summary>
    /// The send buffer stayed full until the timeout. Unsent datagrams remain. Returned by the methods that have a
    /// timeout, also if it is zero.
    /// </summary>
    TimedOut,

    /// <summary>
    /// The system had no memory or queue space (ENOBUFS): at once for the <c>Try</c> methods, otherwise until the
    /// timeout. Unsent datagrams remain.
    /// </summary>
    NoBuffers,

    /// <summary>The socket is closed. Unsent datagrams remain.</summary>
    Closed,
}
