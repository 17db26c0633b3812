using System.Globalization;
using Microsoft.Win32.SafeHandles;
using Spate.Interop.Linux;

namespace Spate.Sockets.Uring;

/// <summary>
/// Detects when the kernel has really closed a socket, and so freed its port. A ring that another thread owned releases
/// the socket only some milliseconds after the ring's own close, on a kernel thread. An epoll set forgets a file when
/// the last reference to the file goes, and not before (epoll.7). /proc lists the files that the set knows. The set's
/// events are of no use: a file without references has no events, although it is not closed yet. The protocol forgets
/// the socket right after the epoll set does, and /proc/net shows that.
/// </summary>
internal sealed unsafe class ReleaseWatch : IDisposable
{
    private readonly SafeFileHandle _epoll;
    private readonly string? _inode;
    private readonly bool _watches;

    /// <param name="descriptor">The open socket.</param>
    public ReleaseWatch(int descriptor)
    {
        _epoll = new SafeFileHandle(Epoll.epoll_create1(Epoll.EPOLL_CLOEXEC), ownsHandle: true);
        if (_epoll.IsInvalid) return;
        byte* epollEvent = stackalloc byte[16];
        Epoll.Write(epollEvent, 0, Epoll.EPOLLONESHOT, 0);

        // SAFETY: one event fits into 16 bytes on every machine; the kernel copies it during the call.
        _watches = Epoll.epoll_ctl(EpollDescriptor, Epoll.EPOLL_CTL_ADD, descriptor, epollEvent) == 0;
        _inode = InodeOf(descriptor);
    }

    /// <summary>
    /// Called after the descriptor was closed. Waits until the kernel has closed the socket, if that can be known.
    /// </summary>
    /// <param name="timeoutMilliseconds">The longest wait.</param>
    /// <param name="isOthers">
    /// Whether another thread owned the ring. The kernel thread may then have removed the socket from the epoll set but
    /// not yet from the protocol. Otherwise a socket that epoll has forgotten is closed.
    /// </param>
    public void Wait(int timeoutMilliseconds, bool isOthers)
    {
        long start = Environment.TickCount64;
        if (!_watches || (!isOthers && !IsKnownToEpoll())) return;
        while ((IsKnownToEpoll() || IsKnownToProtocol()) && Environment.TickCount64 - start < timeoutMilliseconds)
            Thread.Sleep(1);
    }

    public void Dispose() => _epoll.Dispose();

    private int EpollDescriptor => (int)_epoll.DangerousGetHandle();

    private bool IsKnownToEpoll() =>
        Read(string.Create(CultureInfo.InvariantCulture, $"/proc/self/fdinfo/{EpollDescriptor}"))
            .Contains("tfd:", StringComparison.Ordinal);

    // The table of the thread, since a thread may be in another network namespace than its process.
    private bool IsKnownToProtocol() => _inode is not null
        && (Read("/proc/thread-self/net/udp").Contains(_inode, StringComparison.Ordinal)
            || Read("/proc/thread-self/net/udp6").Contains(_inode, StringComparison.Ordinal));

    // The link reads socket:[123], the tables list the number between spaces.
    private static string? InodeOf(int descriptor)
    {
        string link = string.Create(CultureInfo.InvariantCulture, $"/proc/self/fd/{descriptor}");
        string? target;
        try
        {
            target = File.ResolveLinkTarget(link, returnFinalTarget: false)?.Name;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return null;
        }

        int start = target?.IndexOf('[', StringComparison.Ordinal) ?? -1;
        return start < 0 ? null : $" {target![(start + 1)..].TrimEnd(']')} ";
    }

    private static string Read(string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return string.Empty;
        }
    }
}
