using System.Runtime.InteropServices;
using Spate.Interop.Linux;
using HostLinux = Spate.HostTuning.Interop.Linux;
using MeasurementLinux = Spate.Measurement.Interop.Linux;

namespace Spate.HostTests.Abi;

/// <summary>A struct of ours and what C calls it. Prelude is C text to put before the checks.</summary>
internal sealed record NativeStruct(Type Type, string Header, string? CName = null, string Prelude = "")
{
    internal string Name => CName ?? $"struct {Type.Name}";
}

/// <summary>A class of ours that holds constants and functions of a header, under their own names.</summary>
internal sealed record NativeClass(Type Type, string Header);

/// <summary>Which C header every struct and constant of the folders Interop/Linux is held against.</summary>
internal static class NativeMap
{
    private const string PackedEvent =
        "struct epoll_event_packed { uint32_t events; uint64_t data; } __attribute__((packed));";

    private const string NaturalEvent =
        "struct epoll_event_natural { uint32_t events; uint64_t data; };";

    internal static readonly NativeStruct[] Structs =
    [
        new(typeof(iovec), "sys/uio.h"),
        new(typeof(msghdr), "sys/socket.h"),
        new(typeof(mmsghdr), "sys/socket.h"),
        new(typeof(cmsghdr), "sys/socket.h"),
        new(typeof(timespec), "time.h"),
        new(typeof(pollfd), "poll.h"),
        new(typeof(rlimit), "sys/resource.h"),
        new(typeof(epoll_event_packed), "sys/epoll.h", EventName(Architecture.X64, true), PackedEvent),
        new(typeof(epoll_event_natural), "sys/epoll.h", EventName(Architecture.X64, false), NaturalEvent),
        new(typeof(in_addr), "netinet/in.h"),
        new(typeof(in6_addr), "netinet/in.h"),
        new(typeof(sockaddr_storage), "netinet/in.h"),
        new(typeof(in_pktinfo), "netinet/in.h"),
        new(typeof(in6_pktinfo), "netinet/in.h"),
        new(typeof(group_source_req), "netinet/in.h"),
        new(typeof(sock_extended_err), "linux/errqueue.h"),
        new(typeof(io_sqring_offsets), "linux/io_uring.h"),
        new(typeof(io_cqring_offsets), "linux/io_uring.h"),
        new(typeof(io_uring_params), "linux/io_uring.h"),
        new(typeof(io_uring_sqe), "linux/io_uring.h"),
        new(typeof(io_uring_cqe), "linux/io_uring.h"),
        new(typeof(io_uring_buf), "linux/io_uring.h"),
        new(typeof(io_uring_buf_reg), "linux/io_uring.h"),
        new(typeof(io_uring_recvmsg_out), "linux/io_uring.h"),
        new(typeof(io_uring_sync_cancel_reg), "linux/io_uring.h"),
        new(typeof(sock_filter), "linux/filter.h"),
        new(typeof(sock_fprog), "linux/filter.h"),
        new(typeof(HostLinux.nlmsghdr), "linux/netlink.h"),
        new(typeof(HostLinux.nlattr), "linux/netlink.h"),
        new(typeof(HostLinux.ifinfomsg), "linux/rtnetlink.h"),
        new(typeof(HostLinux.tcmsg), "linux/rtnetlink.h"),
        new(typeof(HostLinux.rtmsg), "linux/rtnetlink.h"),
        new(typeof(HostLinux.rtnexthop), "linux/rtnetlink.h"),
        new(typeof(HostLinux.iovec), "sys/uio.h"),
        new(typeof(HostLinux.msghdr), "sys/socket.h"),
        new(typeof(HostLinux.cmsghdr), "sys/socket.h"),
        new(typeof(HostLinux.rtnl_link_stats64), "linux/if_link.h"),
        new(typeof(HostLinux.gnet_stats_basic), "linux/gen_stats.h"),
        new(typeof(HostLinux.gnet_stats_queue), "linux/gen_stats.h"),
        new(typeof(HostLinux.inet_diag_sockid), "linux/inet_diag.h"),
        new(typeof(HostLinux.inet_diag_req_v2), "linux/inet_diag.h"),
        new(typeof(HostLinux.inet_diag_msg), "linux/inet_diag.h"),
        new(typeof(HostLinux.ifreq), "linux/if.h"),
        new(typeof(HostLinux.ethtool_ringparam), "linux/ethtool.h"),
        new(typeof(HostLinux.ethtool_channels), "linux/ethtool.h"),
        new(typeof(HostLinux.ethtool_coalesce), "linux/ethtool.h"),
        new(typeof(HostLinux.ethtool_pauseparam), "linux/ethtool.h"),
        new(typeof(HostLinux.ethtool_link_settings), "linux/ethtool.h"),
        new(typeof(HostLinux.ethtool_get_features_block), "linux/ethtool.h"),
        new(typeof(HostLinux.ethtool_set_features_block), "linux/ethtool.h"),
        new(typeof(sock_txtime), "linux/net_tstamp.h"),
        new(typeof(MeasurementLinux.timespec), "time.h"),
    ];

    internal static readonly NativeClass[] Classes =
    [
        new(typeof(SysRandom), "sys/random.h"),
        new(typeof(SysSocket), "sys/socket.h"),
        new(typeof(Poll), "poll.h"),
        new(typeof(Resource), "sys/resource.h"),
        new(typeof(Epoll), "sys/epoll.h"),
        new(typeof(EventFd), "sys/eventfd.h"),
        new(typeof(Unistd), "unistd.h"),
        new(typeof(Udp), "netinet/udp.h"),
        new(typeof(In), "netinet/in.h"),
        new(typeof(ErrQueue), "linux/errqueue.h"),
        new(typeof(Filter), "linux/filter.h"),
        new(typeof(Membarrier), "linux/membarrier.h"),
        new(typeof(SockDiag), "linux/sock_diag.h"),
        new(typeof(Sched), "sched.h"),
        new(typeof(Errno), "errno.h"),
        new(typeof(IoUring), "linux/io_uring.h"),
        new(typeof(Syscall), "sys/syscall.h"),
        new(typeof(Mman), "sys/mman.h"),
        new(typeof(HostLinux.SysSocket), "sys/socket.h"),
        new(typeof(HostLinux.SysMessage), "sys/socket.h"),
        new(typeof(HostLinux.In), "netinet/in.h"),
        new(typeof(HostLinux.Netlink), "linux/netlink.h"),
        new(typeof(HostLinux.RtNetlink), "linux/rtnetlink.h"),
        new(typeof(HostLinux.InetDiag), "linux/inet_diag.h"),
        new(typeof(HostLinux.SockDiag), "linux/sock_diag.h"),
        new(typeof(HostLinux.If), "linux/if.h"),
        new(typeof(HostLinux.IfLink), "linux/if_link.h"),
        new(typeof(HostLinux.Ethtool), "linux/ethtool.h"),
        new(typeof(HostLinux.SockIos), "linux/sockios.h"),
        new(typeof(HostLinux.SysIoctl), "sys/ioctl.h"),
        new(typeof(HostLinux.Fcntl), "fcntl.h"),
        new(typeof(HostLinux.Unistd), "unistd.h"),
        new(typeof(HostLinux.GenStats), "linux/gen_stats.h"),
        new(typeof(HostLinux.PktSched), "linux/pkt_sched.h"),
        new(typeof(Time), "time.h"),
        new(typeof(MeasurementLinux.Time), "time.h"),
        new(typeof(MeasurementLinux.Prctl), "sys/prctl.h"),
    ];

    /// <summary>Fields that C does not name, so only their place in the whole is checked, by the size.</summary>
    internal static readonly string[] FieldsWithoutNativeName =
        ["sockaddr_storage.Words", "ifreq.NameStart", "ifreq.NameEnd"];

    /// <summary>Each machine has one layout of its epoll_event; the other is held against our own C text.</summary>
    private static string EventName(Architecture packing, bool packed) =>
        (CCompiler.Target == packing) == packed
            ? "struct epoll_event"
            : packed ? "struct epoll_event_packed" : "struct epoll_event_natural";
}
