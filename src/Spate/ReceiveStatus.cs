namespace Spate;

/// <summary>
/// How a receive ended. A timeout and a closed socket are reported as a status, not as an exception. Only
/// <c>ReceiveFromAsync</c>, which returns a datagram and not a status, throws if the socket is closed.
/// </summary>
public enum ReceiveStatus
{
    /// <summary>The default value: no receive has taken place. No call returns it.</summary>
    None,

    /// <summary>At least one datagram is in the batch or the buffer.</summary>
    Received,

    /// <summary>No datagram is queued. Returned by the <c>Try</c> methods, which do not wait.</summary>
    Empty,

    /// <summary>
    /// No datagram arrived within the timeout. Returned by the methods that have a timeout, also if it is zero.
    /// </summary>
    TimedOut,

    /// <summary>The socket is closed, or was closed by another thread while this call waited.</summary>
    Closed,
}
