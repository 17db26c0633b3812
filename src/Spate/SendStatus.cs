namespace Spate;

/// <summary>How a send ended.</summary>
public enum SendStatus
{
    /// <summary>The default value: no send has taken place. No call returns it.</summary>
    None,

    /// <summary>Every datagram was sent or refused.</summary>
    Done,

    /// <summary>
    /// The send buffer stayed full until the timeout, which is 0 for the <c>Try</c> methods. Unsent datagrams remain.
    /// </summary>
    TimedOut,

    /// <summary>The system had no memory or queue space (ENOBUFS) until the timeout. Unsent datagrams remain.</summary>
    NoBuffers,

    /// <summary>The socket is closed. Unsent datagrams remain.</summary>
    Closed,
}
