using System.Net.Sockets;
using static Spate.Sockets.ErrnoAction;

namespace Spate.Sockets;

/// <summary>
/// The counterpart of <see cref="ErrnoPolicy"/> for the codes of Winsock, which are the values of
/// <see cref="SocketError"/>. The Portable backend uses it on every system, because System.Net.Sockets reports a
/// <see cref="SocketError"/> everywhere. Completions of overlapped calls may also have codes of Win32. Its functions
/// have no side effects. Pages named below are of learn.microsoft.com, under windows/win32: "codes" is
/// winsock/windows-sockets-error-codes-2, "WSASendMsg" is api/winsock2/nf-winsock2-wsasendmsg, and "system codes" are
/// debug/system-error-codes. "icmp" means an ICMP error about an earlier datagram.
/// </summary>
internal readonly struct SocketErrorPolicy : IErrorPolicy
{
    /// <summary>
    /// Whether an error that refuses a datagram may also be an ICMP error about an earlier datagram: too big,
    /// prohibited. Only Linux reports those, to the Portable backend.
    /// </summary>
    public static bool MayBePending(int error) =>
        ToSocketError(error) is SocketError.MessageSize or SocketError.AccessDenied;

    /// <summary>
    /// Whether an error that normally reports an ICMP error may also come from the route of the datagram being sent.
    /// WSASendMsg names only WSAENETUNREACH; senders get both for destinations without a route.
    /// </summary>
    public static bool MayBeRoute(int error) =>
        ToSocketError(error) is SocketError.HostUnreachable or SocketError.NetworkUnreachable;

    /// <summary>The reactions of a receive, of a plain send and of a send with GSO, in this order.</summary>
    public static ErrorRow Of(int error) => ToSocketError(error) switch
    {
        // WSASendMsg: a call of Winsock 1.1 was cancelled. Elsewhere a signal.
        SocketError.Interrupted => new(Retry, Retry, Retry),

        // WSASendMsg: the socket is non-blocking and has no room, or too many overlapped calls are outstanding. A call
        // that goes on in the background (IOPending) has transferred nothing yet.
        SocketError.WouldBlock or SocketError.IOPending or SocketError.TryAgain =>
            new(WouldBlock, WouldBlock, WouldBlock),

        // WSASendMsg: an earlier send met "Port Unreachable" (WSAECONNRESET) or an expired time to live (WSAENETRESET).
        // Sockets get them only if SIO_UDP_CONNRESET and SIO_UDP_NETRESET are on. Other systems: icmp, as in
        // ErrnoPolicy. msquic takes these and the unreachable ones for news about a peer, not for a fault of the
        // socket (datapath_winuser.c, IsUnreachableErrorCode).
        SocketError.ConnectionReset or SocketError.NetworkReset or SocketError.ConnectionRefused
            or SocketError.HostDown or SocketError.ConnectionAborted => new(PendingError, PendingError, PendingError),

        // icmp, or no route for the datagram itself (MayBeRoute).
        SocketError.HostUnreachable or SocketError.NetworkUnreachable => new(PendingError, PendingError, PendingError),

        // Linux: icmp, protocol unreachable. Winsock, codes: an unknown option, so a provider of other makers below
        // the socket does not know the segment size.
        SocketError.ProtocolOption => new(PendingError, PendingError, FallBack),

        // codes: no buffer space, a queue was full. system codes: no memory, no resources, or no quota to lock pages.
        SocketError.NoBufferSpaceAvailable => new(NoBuffers, NoBuffers, NoBuffers),

        // Receive: on Windows a truncated datagram, which receivers handle before; on Linux icmp, fragmentation needed.
        // Send: WSASendMsg, larger than the transport allows. SendGso: ipproto-udp-socket-options, the segment size
        // must be below the MTU of the path, else the send fails; without USO the datagrams may leave in fragments.
        SocketError.MessageSize => new(PendingError, RefuseDatagram, TryPlainly),

        // Receive: Linux, icmp, prohibited. Send: WSASendMsg, broadcast without SO_BROADCAST; or a filter of the
        // firewall blocks the datagram (Windows Filtering Platform).
        SocketError.AccessDenied => new(PendingError, RefuseDatagram, RefuseDatagram),

        // WSASendMsg: the network subsystem has failed. The socket goes on when it works again.
        SocketError.NetworkDown => new(PendingError, RefuseDatagram, RefuseDatagram),

        // SendOne: port 0 on Linux, or a control message that the system does not know. SendGso: drivers refuse some
        // messages (quinn-udp met single datagrams with a segment size), or a segment is too large.
        SocketError.InvalidArgument => new(BackOff, RefuseDatagram, TryPlainly),

        // codes: the address is not valid here, such as port 0, the wildcard address, or a source of another machine.
        SocketError.AddressNotAvailable => new(BackOff, RefuseDatagram, RefuseDatagram),

        // codes: the family of the peer is not the socket's; or a peer is missing, or named although connected.
        SocketError.AddressFamilyNotSupported or SocketError.DestinationAddressRequired or SocketError.NotConnected
            or SocketError.IsConnected => new(BackOff, RefuseDatagram, RefuseDatagram),

        // WSASendMsg: the socket was closed (WSA_OPERATION_ABORTED) or shut down, or its number belongs to no socket.
        SocketError.NotSocket or SocketError.OperationAborted or SocketError.Shutdown => new(Closed, Closed, Closed),

        // WSASendMsg: a pointer outside the memory of the process, or a call before WSAStartup.
        SocketError.Fault or SocketError.NotInitialized => new(Bug, Bug, Bug),

        // All other errors, as in ErrnoPolicy: the receive loop goes on, and a refused datagram blocks no other.
        // WSAEOPNOTSUPP is one: a provider that knows no segment size.
        _ => new(BackOff, RefuseDatagram, FallBack),
    };

    /// <summary>
    /// The code itself if <see cref="SocketError"/> has it; the code of Winsock with the same meaning for a code of
    /// Win32, as completion ports report them (system codes); otherwise SocketError.SocketError.
    /// </summary>
    public static SocketError ToSocketError(int error) => error switch
    {
        // ERROR_ACCESS_DENIED, ERROR_INVALID_HANDLE.
        5 => SocketError.AccessDenied,
        6 => SocketError.NotSocket,

        // ERROR_NOT_ENOUGH_MEMORY, OUTOFMEMORY, NO_SYSTEM_RESOURCES, WORKING_SET_QUOTA, PAGEFILE_QUOTA,
        // COMMITMENT_LIMIT, INVALID_USER_BUFFER, NOT_ENOUGH_QUOTA. ReadFile documents the last two for too many
        // outstanding calls.
        8 or 14 or 1450 or 1453 or 1454 or 1455 or 1784 or 1816 => SocketError.NoBufferSpaceAvailable,

        // ERROR_NOT_SUPPORTED, ERROR_INVALID_PARAMETER.
        50 => SocketError.OperationNotSupported,
        87 => SocketError.InvalidArgument,

        // ERROR_NETNAME_DELETED: how completion ports report WSAECONNRESET.
        64 => SocketError.ConnectionReset,

        // ERROR_SEM_TIMEOUT, WAIT_TIMEOUT, ERROR_TIMEOUT.
        121 or 258 or 1460 => SocketError.TimedOut,

        // ERROR_INSUFFICIENT_BUFFER, ERROR_MORE_DATA: how completion ports report WSAEMSGSIZE.
        122 or 234 => SocketError.MessageSize,

        // ERROR_NOACCESS.
        998 => SocketError.Fault,

        // ERROR_CONNECTION_REFUSED, ERROR_PORT_UNREACHABLE.
        1225 or 1234 => SocketError.ConnectionRefused,

        // ERROR_CONNECTION_INVALID, NETWORK_UNREACHABLE, HOST_UNREACHABLE, PROTOCOL_UNREACHABLE, REQUEST_ABORTED,
        // CONNECTION_ABORTED.
        1229 => SocketError.NotConnected,
        1231 => SocketError.NetworkUnreachable,
        1232 => SocketError.HostUnreachable,
        1233 => SocketError.HostUnreachable,
        1235 => SocketError.OperationAborted,
        1236 => SocketError.ConnectionAborted,
        _ => Enum.IsDefined((SocketError)error) ? (SocketError)error : SocketError.SocketError,
    };

    /// <inheritdoc/>
    public static string Describe(int error) => $"{ToSocketError(error)} ({error})";
}
