using System.Globalization;
using Microsoft.Win32.SafeHandles;
using Spate.Interop.Linux;

namespace Spate.Sockets.Uring;

/// <summary>
/// Detects when the kernel has really closed a socket, and so freed its port. If another thread owned the ring, a
/// kernel thread closes the socket some milliseconds after the ring's own close. An epoll set removes a file only when
/// the kernel closes the file, after the file's last reference is gone (epoll.7). /proc lists the files in the set. The
/// set's events cannot be used instead: a file without references has no events, even if it is not closed yet. Right
/// after the removal from the epoll set, the UDP protocol removes the socket from its own tables, which are in
/// /proc/net.
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
    /// Waits until the kernel has closed the socket. Returns at once if that cannot be observed. Called after the
    /// descriptor was closed.
    /// </summary>
    /// <param name="timeoutMilliseconds">The longest wait.</param>
    /// <param name="isOthers">
    /// Whether another thread owned the ring. If so, the kernel thread may have removed the socket from the epoll set
    /// but not yet from the protocol. If not, a socket that is no longer in the epoll set is closed.
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

    // Reads the tables of this thread, because a thread may be in another network namespace than its process.
    private bool IsKnownToProtocol() => _inode is not null
        && (Read("/proc/thread-self/net/udp").Contains(_inode, StringComparison.Ordinal)
            || Read("/proc/thread-self/net/udp6").Contains(_inode, StringComparison.Ordinal));

    // Returns the socket's inode number between spaces, as the tables contain it. The descriptor's link in
    // /proc/self/fd has the form socket:[123].
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
