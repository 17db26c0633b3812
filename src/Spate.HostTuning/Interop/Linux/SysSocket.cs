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
