using System.Net.Sockets;

namespace Spate.Backends.Portable;

/// <summary>The errno policy for a runtime that reports <see cref="SocketError"/> instead; pure.</summary>
internal static class SocketErrorPolicy
{
    public static ErrnoAction Decide(SocketError error) => error switch
    {
        SocketError.Interrupted => ErrnoAction.Retry,
        SocketError.WouldBlock or SocketError.IOPending or SocketError.TryAgain => ErrnoAction.WouldBlock,

        // Windows reports an earlier datagram's ICMP error as ConnectionReset or NetworkReset (SIO_UDP_CONNRESET,
        // SIO_UDP_NETRESET).
        SocketError.ConnectionReset or SocketError.NetworkReset or SocketError.ConnectionRefused
            or SocketError.HostUnreachable or SocketError.NetworkUnreachable or SocketError.HostDown
            or SocketError.NetworkDown or SocketError.ProtocolOption => ErrnoAction.PendingError,
        SocketError.NoBufferSpaceAvailable => ErrnoAction.NoBuffers,
        SocketError.NotSocket or SocketError.OperationAborted or SocketError.Shutdown => ErrnoAction.Closed,
        SocketError.Fault => ErrnoAction.Bug,
        _ => ErrnoAction.RefuseDatagram,
    };
}
