using System.Runtime.InteropServices;

namespace Spate.HostTuning.Interop.Linux;

/// <summary><c>linux/inet_diag.h</c>: a socket's addresses, 48 bytes; ports are in network order.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct @inet_diag_sockid
{
    public ushort idiag_sport;
    public ushort idiag_dport;
    public fixed uint idiag_src[4];
    public fixed uint idiag_dst[4];
    public uint idiag_if;
    public fixed uint idiag_cookie[2];
}

/// <summary><c>linux/inet_diag.h</c>: a request for sockets, 56 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @inet_diag_req_v2
{
    public byte sdiag_family;
    public byte sdiag_protocol;
    public byte idiag_ext;
    public byte pad;
    public uint idiag_states;
    public inet_diag_sockid id;
}

/// <summary><c>linux/inet_diag.h</c>: what the kernel tells of a socket begins with this, 72 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @inet_diag_msg
{
    public byte idiag_family;
    public byte idiag_state;
    public byte idiag_timer;
    public byte idiag_retrans;
    public inet_diag_sockid id;
    public uint idiag_expires;
    public uint idiag_rqueue;
    public uint idiag_wqueue;
    public uint idiag_uid;
    public uint idiag_inode;
}

/// <summary><c>linux/inet_diag.h</c>: requests for sockets (sock_diag(7)).</summary>
internal static class InetDiag
{
    /// <summary>The socket's memory: 32-bit words at the indexes of <see cref="SockDiag"/>.</summary>
    public const int INET_DIAG_SKMEMINFO = 7;
}
