using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Spate.HostTuning.Interop.Linux;

/// <summary><c>sys/socket.h</c>: what a netlink socket needs, which .NET's sockets cannot open, and families.</summary>
internal static partial class SysSocket
{
    public const int AF_INET = 2;
    public const int AF_INET6 = 10;
    public const int AF_NETLINK = 16;

    public const int SOCK_RAW = 3;
    public const int SOCK_CLOEXEC = 0x80000;

    public const int MSG_DONTWAIT = 0x40;

    [LibraryImport("libc", SetLastError = true)]
    internal static partial int socket(int domain, int type, int protocol);

    [LibraryImport("libc", SetLastError = true)]
    internal static partial nint send(SafeFileHandle sockfd, ReadOnlySpan<byte> buf, nuint len, int flags);

    [LibraryImport("libc", SetLastError = true)]
    internal static partial nint recv(SafeFileHandle sockfd, Span<byte> buf, nuint len, int flags);
}

/// <summary><c>sys/uio.h</c>: a part of a message.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @iovec
{
    public nint iov_base;
    public nuint iov_len;
}

/// <summary><c>sys/socket.h</c>: what recvmsg(2) fills.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @msghdr
{
    public nint msg_name;
    public uint msg_namelen;
    public nint msg_iov;
    public nuint msg_iovlen;
    public nint msg_control;
    public nuint msg_controllen;
    public int msg_flags;
}

/// <summary><c>sys/socket.h</c>: the head of a control message; its length includes itself (cmsg(3)).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @cmsghdr
{
    public nuint cmsg_len;
    public int cmsg_level;
    public int cmsg_type;
}

/// <summary><c>sys/socket.h</c>: taking a message with its control messages, which .NET's sockets keep.</summary>
internal static partial class SysMessage
{
    /// <summary>
    /// Takes a message without waiting; what does not fit into the payload is lost. Returns the length, or the number
    /// of the error with a minus: EAGAIN for no message, another where an error was waiting.
    /// </summary>
    public static unsafe int Receive(
        SafeHandle socket, Span<byte> payload, Span<byte> control, out int controlBytes)
    {
        // SAFETY: both buffers are pinned for the call, and the kernel keeps no pointer to them afterwards. It writes
        // at most the lengths given here.
        fixed (byte* data = payload)
        fixed (byte* head = control)
        {
            var part = new iovec { iov_base = (nint)data, iov_len = (nuint)payload.Length };
            var message = new msghdr
            {
                msg_iov = (nint)(&part),
                msg_iovlen = 1,
                msg_control = (nint)head,
                msg_controllen = (nuint)control.Length,
            };
            int bytes = (int)recvmsg(socket, ref message, SysSocket.MSG_DONTWAIT);
            controlBytes = bytes < 0 ? 0 : (int)message.msg_controllen;
            return bytes < 0 ? -Marshal.GetLastPInvokeError() : bytes;
        }
    }

    [LibraryImport("libc", SetLastError = true)]
    private static partial nint recvmsg(SafeHandle sockfd, ref msghdr msg, int flags);
}

/// <summary><c>netinet/in.h</c>: options of sockets (ip(7), ipv6(7)).</summary>
internal static class In
{
    public const int IPPROTO_IP = 0;
    public const int IPPROTO_IPV6 = 41;

    public const int IP_TOS = 1;
    public const int IP_MTU_DISCOVER = 10;
    public const int IP_RECVTOS = 13;
    public const int IP_MTU = 14;
    public const int IP_RECVFRAGSIZE = 25;

    public const int IPV6_MTU_DISCOVER = 23;
    public const int IPV6_MTU = 24;
    public const int IPV6_DONTFRAG = 62;
    public const int IPV6_RECVTCLASS = 66;
    public const int IPV6_TCLASS = 67;
    public const int IPV6_RECVFRAGSIZE = 77;

    /// <summary>Never fragment, and ignore what is known of the path: for probes.</summary>
    public const int IP_PMTUDISC_PROBE = 3;
}
