using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary><c>sys/uio.h</c> (included by <c>sys/socket.h</c>): one piece of memory of a message.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct @iovec
{
    public void* iov_base;
    public nuint iov_len;
}

/// <summary>
/// <c>sys/socket.h</c>: the header of a message, 64-bit layout, 56 bytes. musl declares <c>msg_iovlen</c> and
/// <c>msg_controllen</c> as 32 bits plus padding. On little-endian machines that is the same memory as the 64 bits that
/// the kernel and this struct use.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct @msghdr
{
    public void* msg_name;
    public uint msg_namelen;
    public iovec* msg_iov;
    public nuint msg_iovlen;
    public void* msg_control;
    public nuint msg_controllen;
    public int msg_flags;
}

/// <summary><c>sys/socket.h</c>: one entry of recvmmsg and sendmmsg, 64 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @mmsghdr
{
    public msghdr msg_hdr;
    public uint msg_len;
}

/// <summary>
/// <c>sys/socket.h</c>: the header of a control message; the data of the message follows at offset 16.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @cmsghdr
{
    public nuint cmsg_len;
    public int cmsg_level;
    public int cmsg_type;
}

/// <summary>
/// <c>sys/socket.h</c>: calls for messages, and constants of the socket level with their asm-generic values, which x64
/// and arm64 use. Every imported function may block, so no import suppresses the GC transition.
/// </summary>
internal static unsafe partial class SysSocket
{
    public const int SOL_SOCKET = 1;
    public const int SO_REUSEADDR = 2;
    public const int SO_REUSEPORT = 15;
    public const int SO_BINDTODEVICE = 25;
    public const int SO_ATTACH_FILTER = 26;
    public const int SO_DETACH_FILTER = 27;
    public const int SO_SNDBUFFORCE = 32;
    public const int SO_RCVBUFFORCE = 33;

    /// <summary>
    /// The number that the kernel names SO_TIMESTAMPNS_OLD; 64-bit systems use it. The time stamp is a <c>timespec</c>
    /// with 64-bit fields.
    /// </summary>
    public const int SO_TIMESTAMPNS = 35;
    public const int SCM_TIMESTAMPNS = SO_TIMESTAMPNS;

    /// <summary>Exists since Linux 3.19.</summary>
    public const int SO_INCOMING_CPU = 49;

    /// <summary>Exists since Linux 4.5.</summary>
    public const int SO_ATTACH_REUSEPORT_CBPF = 51;
    public const int SO_MEMINFO = 55;
    public const int SO_TXTIME = 61;
    public const int SCM_TXTIME = SO_TXTIME;

    /// <summary>Exists since Linux 5.1.</summary>
    public const int SO_BINDTOIFINDEX = 62;
    public const int SO_DETACH_REUSEPORT_BPF = 68;

    public const int MSG_CTRUNC = 0x8;
    public const int MSG_TRUNC = 0x20;
    public const int MSG_DONTWAIT = 0x40;
    public const int MSG_ERRQUEUE = 0x2000;
    public const int MSG_NOSIGNAL = 0x4000;
    public const int MSG_WAITFORONE = 0x10000;

    public const int SHUT_RDWR = 2;

    /// <summary>
    /// Pass null for <paramref name="timeout"/>: the kernel checks the time only after a datagram has arrived, so the
    /// call can block forever (recvmmsg(2), BUGS).
    /// </summary>
    [LibraryImport("libc", SetLastError = true)]
    internal static partial int recvmmsg(int sockfd, mmsghdr* msgvec, uint vlen, int flags, timespec* timeout);

    [LibraryImport("libc", SetLastError = true)]
    internal static partial int sendmmsg(int sockfd, mmsghdr* msgvec, uint vlen, int flags);

    [LibraryImport("libc", SetLastError = true)]
    internal static partial nint recvmsg(int sockfd, msghdr* msg, int flags);

    [LibraryImport("libc", SetLastError = true)]
    internal static partial nint sendmsg(int sockfd, msghdr* msg, int flags);

    [LibraryImport("libc", SetLastError = true)]
    internal static partial nint recvfrom(
        int sockfd, void* buf, nuint len, int flags, void* src_addr, uint* addrlen);

    [LibraryImport("libc", SetLastError = true)]
    internal static partial nint sendto(
        int sockfd, void* buf, nuint len, int flags, void* dest_addr, uint addrlen);

    [LibraryImport("libc", SetLastError = true)]
    internal static partial int shutdown(int sockfd, int how);
}
