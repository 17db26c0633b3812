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
    public const short POLLPRI = 0x2;
    public const short POLLOUT = 0x4;
    public const short POLLERR = 0x8;
    public const short POLLHUP = 0x10;
    public const short POLLNVAL = 0x20;

    [LibraryImport("libc", SetLastError = true)]
    internal static partial int poll(pollfd* fds, nuint nfds, int timeout);

    /// <summary>
    /// As <c>poll</c>, but the timeout is exact to nanoseconds. Null for <paramref name="tmo_p"/> waits forever.
    /// </summary>
    [LibraryImport("libc", SetLastError = true)]
    internal static partial int ppoll(pollfd* fds, nuint nfds, timespec* tmo_p, void* sigmask);
}
