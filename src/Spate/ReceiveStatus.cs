namespace Spate;

/// <summary>How a receive ended. Expected ends are values, never exceptions.</summary>
public enum ReceiveStatus
{
    /// <summary>The default value: no receive has taken place. No call returns it.</summary>
    None,

    /// <summary>At least one datagram is in the batch or buffer.</summary>
    Received,

    /// <summary>Nothing arrived within the timeout, which is 0 for the <c>Try</c> forms.</summary>
    TimedOut,

    /// <summary>The socket is closed, or was closed by another thread while this call waited.</summary>
    Closed,
}
