using System.Net.Sockets;

namespace Spate.Sockets.Portable;

/// <summary>
/// The counterpart of <see cref="ErrnoPolicy"/> for System.Net.Sockets, which reports a <see cref="SocketError"/>
/// instead of an errno. Its functions have no side effects.
/// </summary>
internal static class SocketErrorPolicy
{
    public static ErrnoAction Decide(SocketError error) => error switch
    {
        SocketError.Interrupted => ErrnoAction.Retry,
        SocketError.WouldBlock or SocketError.IOPending or SocketError.TryAgain => ErrnoAction.WouldBlock,

        // Windows reports the ICMP error of an earlier datagram as ConnectionReset or NetworkReset (SIO_UDP_CONNRESET,
        // SIO_UDP_NETRESET).
        SocketError.ConnectionReset or SocketError.NetworkReset or SocketError.ConnectionRefused
            or SocketError.HostUnreachable or SocketError.NetworkUnreachable or SocketError.HostDown
            or SocketError.NetworkDown or SocketError.ProtocolOption => ErrnoAction.PendingError,
        SocketError.NoBufferSpaceAvailable => ErrnoAction.NoBuffers,
        SocketError.NotSocket or SocketError.OperationAborted or SocketError.Shutdown => ErrnoAction.Closed,
        SocketError.Fault => ErrnoAction.Bug,
        _ => ErrnoAction.RefuseDatagram,
    };

    /// <summary>Whether only an ICMP message causes this error, never the send itself.</summary>
    public static bool IsIcmpOnly(SocketError error) => error is SocketError.ConnectionRefused
        or SocketError.ConnectionReset or SocketError.NetworkReset or SocketError.HostDown
        or SocketError.ProtocolOption;

    /// <summary>
    /// Whether the error of a send may belong to an earlier datagram or to its own datagram: unreachable, too big,
    /// prohibited. Used for connected sockets only.
    /// </summary>
    public static bool MayBePending(SocketError error) => Decide(error) == ErrnoAction.PendingError
        || error is SocketError.MessageSize or SocketError.AccessDenied;
}
