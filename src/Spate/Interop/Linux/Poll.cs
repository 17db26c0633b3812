using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary><c>poll.h</c>: one descriptor to wait for, 8 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @pollfd
{
    public int fd;
    public short events;
    public short revents;
}

/// <summary><c>poll.h</c>: waits for a few descriptors.</summary>
internal static unsafe partial class Poll
{
    public const short POLLIN = 0x1;
    public const short POLLOUT = 0x4;
    public const short POLLERR = 0x8;

    [LibraryImport("libc", SetLastError = true)]
    internal static partial int poll(pollfd* fds, nuint nfds, int timeout);
}
