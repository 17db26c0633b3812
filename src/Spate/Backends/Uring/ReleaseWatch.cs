using System.Globalization;
using Microsoft.Win32.SafeHandles;
using Spate.Interop.Linux;

namespace Spate.Backends.Uring;

/// <summary>
/// Tells when the kernel has really closed a socket, and so freed its port: a ring that another thread owned lets go of
/// the socket only some milliseconds after its own close, on a thread of the kernel. An epoll set forgets a file when
/// the last reference to it goes and not before (epoll.7), and says in /proc which ones it knows. Its events would not
/// tell: a file without references has none, though it is not closed yet.
/// </summary>
internal sealed unsafe class ReleaseWatch : IDisposable
{
    private readonly SafeFileHandle _epoll;
    private readonly bool _watches;

    /// <param name="descriptor">The socket, open.</param>
    public ReleaseWatch(int descriptor)
    {
        _epoll = new SafeFileHandle(Epoll.epoll_create1(Epoll.EPOLL_CLOEXEC), ownsHandle: true);
        if (_epoll.IsInvalid) return;
        byte* epollEvent = stackalloc byte[16];
        Epoll.Write(epollEvent, 0, Epoll.EPOLLONESHOT, 0);

        // SAFETY: 16 bytes hold one event on every machine; the kernel copies it during the call.
        _watches = Epoll.epoll_ctl(EpollDescriptor, Epoll.EPOLL_CTL_ADD, descriptor, epollEvent) == 0;
    }

    /// <summary>After the descriptor was closed; waits at most so long, and not at all where nothing can be known.</summary>
    public void Wait(int timeoutMilliseconds)
    {
        long start = Environment.TickCount64;
        while (_watches && IsKnown() && Environment.TickCount64 - start < timeoutMilliseconds) Thread.Sleep(1);
    }

    public void Dispose() => _epoll.Dispose();

    private int EpollDescriptor => (int)_epoll.DangerousGetHandle();

    private bool IsKnown()
    {
        try
        {
            string info = File.ReadAllText(
                string.Create(CultureInfo.InvariantCulture, $"/proc/self/fdinfo/{EpollDescriptor}"));
            return info.Contains("tfd:", StringComparison.Ordinal);
        }
        catch (IOException)
        {
            return false;
        }
        catch (UnauthorizedAccessException)
        {
            return false;
        }
    }
}
