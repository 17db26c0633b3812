using System.Net.Sockets;
using Spate.Interop.Linux;
using static Spate.Sockets.ErrnoAction;

namespace Spate.Sockets;

/// <summary>
/// The one place that interprets the errnos of Linux socket calls. Pure. Kernel names below are functions of net/ipv4
/// and net/ipv6. "icmp" means the tables icmp_err_convert and icmpv6_err_convert; their errors wait on a connected
/// socket (or on any socket with IP_RECVERR) for its next call of any kind.
/// </summary>
internal static class ErrnoPolicy
{
    internal static ErrnoAction Decide(int errno, SocketOperation operation)
    {
        Row row = Find(errno);
        return operation switch
        {
            SocketOperation.Receive => row.Receive,
            SocketOperation.SendOne => row.SendOne,
            SocketOperation.SendGso => row.SendGso,
            _ => throw new ArgumentOutOfRangeException(nameof(operation), operation, "Not a socket operation."),
        };
    }

    /// <summary>
    /// Whether a refusal may belong to an earlier datagram: ICMP also reports these errors (too big, prohibited), on
    /// sockets that receive ICMP errors at all. Such a send is tried once more before its datagram is refused.
    /// </summary>
    internal static bool MayBePending(int errno) => errno is Errno.EMSGSIZE or Errno.EACCES;

    /// <summary>
    /// Whether a pending error may also be the datagram's own, from its route lookup (ip_route_output_key,
    /// ip6_dst_lookup); all other pending errors come from ICMP alone.
    /// </summary>
    internal static bool MayBeRoute(int errno) => errno is Errno.EHOSTUNREACH or Errno.ENETUNREACH;

    // Columns: Receive, SendOne, SendGso.
    private static Row Find(int errno) => errno switch
    {
        // signal(7): a handler ran before anything was transferred.
        Errno.EINTR => new(Retry, Retry, Retry),

        // recv(2): no datagram queued. send(2): the send buffer is full; POLLOUT reports when it has room.
        Errno.EAGAIN => new(WouldBlock, WouldBlock, WouldBlock),

        // icmp: port, host, network, protocol unreachable, time exceeded, parameter problem, source route failed
        // (EOPNOTSUPP), host unknown (EHOSTDOWN) and isolated (ENONET). Sends get EHOSTUNREACH and ENETUNREACH from the
        // route lookup too; these come back on the repeat and are refused then.
        Errno.ECONNREFUSED or Errno.EHOSTUNREACH or Errno.ENETUNREACH or Errno.EHOSTDOWN or Errno.ENONET or Errno.EPROTO
            or Errno.ENOPROTOOPT or Errno.EOPNOTSUPP => new(PendingError, PendingError, PendingError),

        // Linux UDP does not report these errors, but other kernels with the same calls do when a peer's port closes.
        Errno.ECONNRESET or Errno.ENETRESET => new(PendingError, PendingError, PendingError),

        // udp_abort: an administrator disconnected the socket (ss --kill). The error is reported once.
        Errno.ECONNABORTED => new(PendingError, PendingError, PendingError),

        // send(2): output queue full, no memory. A full queue sends no POLLOUT, as the socket itself has room.
        Errno.ENOBUFS or Errno.ENOMEM => new(NoBuffers, NoBuffers, NoBuffers),

        // Receive: icmp, fragmentation needed. SendOne: larger than the path with DF set, or than 65,507 bytes; a
        // pending icmp looks the same (MayBePending).
        // SendGso: a segment is larger than the path (Linux 6.18), though it may go in fragments.
        Errno.EMSGSIZE => new(PendingError, RefuseDatagram, TryPlainly),

        // Receive: icmpv6, administratively prohibited. Send: broadcast without SO_BROADCAST, a prohibit route, an LSM.
        Errno.EACCES => new(PendingError, RefuseDatagram, RefuseDatagram),

        // Send: a local firewall (nftables output drop) or a full conntrack table dropped the datagram.
        Errno.EPERM => new(BackOff, RefuseDatagram, RefuseDatagram),

        // Receive: the interface went away, the socket lives on. Send: netdevice(7), the interface is down.
        Errno.ENETDOWN => new(PendingError, RefuseDatagram, RefuseDatagram),

        // SendOne: port 0, or a control message that an old kernel does not know. SendGso: too many segments, a
        // segment larger than the path (before 6.18), or a driver that cannot (virtio with IPv6), even after it could.
        Errno.EINVAL => new(BackOff, RefuseDatagram, TryPlainly),

        // udp_send_skb: the device cannot compute the checksums of the segments (before 6.11).
        Errno.EIO => new(BackOff, RefuseDatagram, FallBack),

        // udp_sendmsg: no peer named on a socket that is not connected. ENOTCONN says the same elsewhere.
        Errno.EDESTADDRREQ or Errno.ENOTCONN => new(BackOff, RefuseDatagram, RefuseDatagram),

        // udp_sendmsg, udpv6_sendmsg: the peer's family is not the socket's, segmented or not.
        Errno.EAFNOSUPPORT => new(BackOff, RefuseDatagram, RefuseDatagram),

        // ip_route_output_key: the source address asked for (IP_PKTINFO) is not, or no longer, this machine's.
        Errno.EADDRNOTAVAIL => new(BackOff, RefuseDatagram, RefuseDatagram),

        // ip6_datagram_send_ctl, ip_route_output_key: no interface with that index or scope, or the bound one is gone.
        Errno.ENODEV => new(BackOff, RefuseDatagram, RefuseDatagram),

        // close(2), socket(7): the descriptor is gone, or another kind of file has taken its number.
        Errno.EBADF or Errno.ENOTSOCK => new(Closed, Closed, Closed),

        // __ip_append_data: sending was shut down. A receive never gets it: it reads empty after a shutdown.
        Errno.EPIPE => new(BackOff, Closed, Closed),

        // recv(2), send(2): a pointer outside our memory.
        Errno.EFAULT => new(Bug, Bug, Bug),

        // Unknown: a receive loop must survive the error, and a datagram must not block the datagrams after it. If a
        // GSO message meets the error, the sends without GSO show whether the GSO message was the reason.
        _ => new(BackOff, RefuseDatagram, FallBack),
    };

    /// <summary>
    /// The portable name of an errno, for results and exceptions; SocketError if the errno has no such name.
    /// </summary>
    internal static SocketError ToSocketError(int errno) => errno switch
    {
        0 => SocketError.Success,
        Errno.EINTR => SocketError.Interrupted,
        Errno.EAGAIN => SocketError.WouldBlock,
        Errno.EPERM or Errno.EACCES => SocketError.AccessDenied,
        Errno.EFAULT => SocketError.Fault,
        Errno.EINVAL => SocketError.InvalidArgument,
        Errno.EMFILE or Errno.ENFILE => SocketError.TooManyOpenSockets,
        Errno.EBADF => SocketError.OperationAborted,
        Errno.ENOTSOCK => SocketError.NotSocket,
        Errno.EPIPE or Errno.ESHUTDOWN => SocketError.Shutdown,
        Errno.EDESTADDRREQ => SocketError.DestinationAddressRequired,
        Errno.EMSGSIZE => SocketError.MessageSize,
        Errno.EPROTOTYPE => SocketError.ProtocolType,
        Errno.ENOPROTOOPT => SocketError.ProtocolOption,
        Errno.EPROTONOSUPPORT => SocketError.ProtocolNotSupported,
        Errno.ESOCKTNOSUPPORT => SocketError.SocketNotSupported,
        Errno.EOPNOTSUPP or Errno.ENOSYS => SocketError.OperationNotSupported,
        Errno.EPFNOSUPPORT => SocketError.ProtocolFamilyNotSupported,
        Errno.EAFNOSUPPORT => SocketError.AddressFamilyNotSupported,
        Errno.EADDRINUSE => SocketError.AddressAlreadyInUse,
        Errno.EADDRNOTAVAIL => SocketError.AddressNotAvailable,
        Errno.ENETDOWN => SocketError.NetworkDown,
        Errno.ENETUNREACH => SocketError.NetworkUnreachable,
        Errno.ENETRESET => SocketError.NetworkReset,
        Errno.ECONNABORTED => SocketError.ConnectionAborted,
        Errno.ECONNRESET => SocketError.ConnectionReset,
        Errno.ENOBUFS or Errno.ENOMEM => SocketError.NoBufferSpaceAvailable,
        Errno.EISCONN => SocketError.IsConnected,
        Errno.ENOTCONN => SocketError.NotConnected,
        Errno.ETIMEDOUT => SocketError.TimedOut,
        Errno.ECONNREFUSED => SocketError.ConnectionRefused,
        Errno.EHOSTDOWN => SocketError.HostDown,
        Errno.EHOSTUNREACH or Errno.ENONET => SocketError.HostUnreachable,
        Errno.EALREADY => SocketError.AlreadyInProgress,
        Errno.EINPROGRESS => SocketError.InProgress,
        Errno.ECANCELED => SocketError.OperationAborted,
        _ => SocketError.SocketError,
    };

    private readonly record struct Row(ErrnoAction Receive, ErrnoAction SendOne, ErrnoAction SendGso);
}
