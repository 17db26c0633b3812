using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Spate.Interop.Linux;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>An epoll instance and what is registered with it.</summary>
internal sealed unsafe class EpollDescriptor : IDisposable
{
    /// <summary>Room for one event on every machine.</summary>
    public const int EventBytesMax = 16;

    private readonly SafeFileHandle _handle;

    /// <exception cref="System.Net.Sockets.SocketException">No descriptor is free.</exception>
    public EpollDescriptor() =>
        _handle = new SafeFileHandle(Check(Epoll.epoll_create1(Epoll.EPOLL_CLOEXEC)), ownsHandle: true);

    /// <summary>Adds a descriptor or changes what is asked of it.</summary>
    /// <exception cref="System.Net.Sockets.SocketException">The system refused.</exception>
    public void Control(int operation, int descriptor, uint events, ulong data)
    {
        byte* epollEvent = stackalloc byte[EventBytesMax];
        Epoll.Write(epollEvent, 0, events, data);

        // SAFETY: the event has room on every machine; the kernel copies it during the call.
        Check(Epoll.epoll_ctl(Number, operation, descriptor, epollEvent));
    }

    /// <summary>
    /// Forgets a descriptor. Best effort: where it fails it is not registered any more, as one that was closed.
    /// </summary>
    public void Forget(int descriptor)
    {
        byte* unused = stackalloc byte[EventBytesMax];

        // SAFETY: the kernel does not read the event of a removal (epoll_ctl.2).
        Epoll.epoll_ctl(Number, Epoll.EPOLL_CTL_DEL, descriptor, unused);
    }

    /// <summary>As epoll_wait: how many events were written, or -1.</summary>
    /// <param name="events">Room for as many events as may be written.</param>
    /// <param name="eventCountMax">How many may be.</param>
    /// <param name="timeoutMilliseconds">-1: for ever.</param>
    public int Wait(void* events, int eventCountMax, int timeoutMilliseconds) =>
        Epoll.epoll_wait(Number, events, eventCountMax, timeoutMilliseconds);

    public void Dispose() => _handle.Dispose();

    private int Number => (int)_handle.DangerousGetHandle();

    private static int Check(int result) =>
        result >= 0 ? result : throw DescriptorLimit.FaultOf(Marshal.GetLastPInvokeError());
}
