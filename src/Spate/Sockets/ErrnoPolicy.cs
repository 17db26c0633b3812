using System.Net.Sockets;
using Spate.Interop.Linux;
using static Spate.Sockets.ErrnoAction;

namespace Spate.Sockets;

/// <summary>
/// The one place that interprets the errnos of Linux socket calls. Its functions have no side effects. Kernel names
/// below are functions of net/ipv4 and net/ipv6. "icmp" means the tables icmp_err_convert and icmpv6_err_convert. On a
/// connected socket, or on any socket with IP_RECVERR, the kernel keeps an error of these tables until the next call of
/// any kind reports the error.
/// </summary>
internal readonly struct ErrnoPolicy : IErrorPolicy
{
    /// <summary>
    /// Whether an errno that refuses a datagram may also be an ICMP error about an earlier datagram (too big,
    /// prohibited). This is possible only on sockets that receive ICMP errors. On them, the send is tried once more
    /// before its datagram is refused.
    /// </summary>
    public static bool MayBePending(int errno) => errno is Errno.EMSGSIZE or Errno.EACCES;

    /// <summary>
    /// Whether an errno that normally reports an ICMP error about an earlier datagram may also come from the route
    /// lookup of the datagram being sent (ip_route_output_key, ip6_dst_lookup). No other pending error can concern that
    /// datagram.
    /// </summary>
    public static bool MayBeRoute(int errno) => errno is Errno.EHOSTUNREACH or Errno.ENETUNREACH;

    /// <summary>The reactions of a receive, of a plain send and of a send with GSO, in this order.</summary>
    public static ErrorRow Of(int errno) => errno switch
    {
        // signal(7): a handler ran before anything was transferred.
        Errno.EINTR => new(Retry, Retry, Retry),

        // recv(2): no datagram queued. send(2): the send buffer is full; POLLOUT reports when it has room.
        Errno.EAGAIN => new(WouldBlock, WouldBlock, WouldBlock),

        // icmp: port, host, network or protocol unreachable, time exceeded, parameter problem, source route failed
        // (EOPNOTSUPP), host unknown (EHOSTDOWN) or isolated (ENONET). A send may also get EHOSTUNREACH or ENETUNREACH
        // from its route lookup. The repeated send then gets the error again, and the datagram is refused.
        Errno.ECONNREFUSED or Errno.EHOSTUNREACH or Errno.ENETUNREACH or Errno.EHOSTDOWN or Errno.ENONET or Errno.EPROTO
            or Errno.ENOPROTOOPT or Errno.EOPNOTSUPP => new(PendingError, PendingError, PendingError),

        // Linux UDP does not report these errors, but other kernels with the same calls do when a peer's port closes.
        Errno.ECONNRESET or Errno.ENETRESET => new(PendingError, PendingError, PendingError),

        // udp_abort: an administrator disconnected the socket (ss --kill). The error is reported once.
        Errno.ECONNABORTED => new(PendingError, PendingError, PendingError),

        // send(2): the output queue is full, or no memory. POLLOUT reports room in the socket only, not in that queue.
        Errno.ENOBUFS or Errno.ENOMEM => new(NoBuffers, NoBuffers, NoBuffers),

        // Receive: icmp, fragmentation needed. SendOne: the datagram is larger than the path MTU with DF set, or larger
        // than 65,507 bytes; a pending ICMP error looks the same (MayBePending). SendGso: a segment is larger than the
        // path MTU (Linux 6.18), though without GSO the datagram may be sent in fragments.
        Errno.EMSGSIZE => new(PendingError, RefuseDatagram, TryPlainly),

        // Receive: icmpv6, administratively prohibited. Send: broadcast without SO_BROADCAST, a prohibit route, an LSM.
        Errno.EACCES => new(PendingError, RefuseDatagram, RefuseDatagram),

        // Send: a local firewall (nftables output drop) or a full conntrack table dropped the datagram.
        Errno.EPERM => new(BackOff, RefuseDatagram, RefuseDatagram),

        // Receive: the interface is gone, but the socket still works. Send: netdevice(7), the interface is down.
        Errno.ENETDOWN => new(PendingError, RefuseDatagram, RefuseDatagram),

        // SendOne: port 0, or a control message that an old kernel does not know. SendGso: too many segments, a segment
        // larger than the path MTU (before 6.18), or a driver that cannot send GSO messages (virtio with IPv6), even if
        // it accepted some before.
        Errno.EINVAL => new(BackOff, RefuseDatagram, TryPlainly),

        // udp_send_skb: the device cannot compute the checksums of the segments (before 6.11).
        Errno.EIO => new(BackOff, RefuseDatagram, FallBack),

        // udp_sendmsg: the call names no peer and the socket is not connected. Other systems report this as ENOTCONN.
        Errno.EDESTADDRREQ or Errno.ENOTCONN => new(BackOff, RefuseDatagram, RefuseDatagram),

        // udp_sendmsg, udpv6_sendmsg: the peer's family differs from the socket's, with and without GSO.
        Errno.EAFNOSUPPORT => new(BackOff, RefuseDatagram, RefuseDatagram),

        // ip_route_output_key: the requested source address (IP_PKTINFO) is not (any more) an address of this machine.
        Errno.EADDRNOTAVAIL => new(BackOff, RefuseDatagram, RefuseDatagram),

        // ip6_datagram_send_ctl, ip_route_output_key: no interface has this index or scope, or the bound one is gone.
        Errno.ENODEV => new(BackOff, RefuseDatagram, RefuseDatagram),

        // close(2), socket(7): the descriptor is gone, or another kind of file has taken its number.
        Errno.EBADF or Errno.ENOTSOCK => new(Closed, Closed, Closed),

        // __ip_append_data: sending was shut down. A receive never gets EPIPE; after a shutdown it returns no data.
        Errno.EPIPE => new(BackOff, Closed, Closed),

        // recv(2), send(2): a pointer outside the memory of the process.
        Errno.EFAULT => new(Bug, Bug, Bug),

        // All other errors: the receive loop must go on, and a refused datagram must not block the datagrams after it.
        // If a GSO message gets the error, sending its datagrams without GSO shows whether GSO was the reason.
        _ => new(BackOff, RefuseDatagram, FallBack),
    };

    /// <summary>
    /// The <see cref="SocketError"/> of an errno, for results and exceptions; the general value SocketError.SocketError
    /// if the errno has no value of its own.
    /// </summary>
    public static SocketError ToSocketError(int errno) => errno switch
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

    public static string Describe(int errno) => Errno.Describe(errno);
}
