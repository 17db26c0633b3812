using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Spate.Interop.Linux;

namespace Spate.Backends.Uring;

/// <summary>
/// Waits for a descriptor until it is readable or <see cref="Set"/> was called, which holds for every wait from then
/// on. A shutdown, which wakes other receives, does not complete a multishot one on an unconnected socket.
/// </summary>
internal sealed unsafe class WakeEvent : IDisposable
{
    private readonly SafeFileHandle _event;

    /// <exception cref="UringRefusedException">No descriptor is free.</exception>
    public WakeEvent()
    {
        int descriptor = EventFd.eventfd(0, EventFd.EFD_CLOEXEC | EventFd.EFD_NONBLOCK);
        if (descriptor < 0) throw new UringRefusedException("eventfd", Marshal.GetLastPInvokeError());
        _event = new SafeFileHandle(descriptor, ownsHandle: true);
    }

    public void Set()
    {
        ulong one = 1;

        // SAFETY: eight bytes on the stack, read during the call only (eventfd.2).
        Unistd.write((int)_event.DangerousGetHandle(), &one, sizeof(ulong));
    }

    /// <summary>Whether it is worth looking before the time (-1: for ever) is over; a signal counts as that.</summary>
    public bool Wait(int descriptor, int timeoutMilliseconds)
    {
        pollfd* both = stackalloc pollfd[2];
        both[0] = new pollfd { fd = descriptor, events = Poll.POLLIN };
        both[1] = new pollfd { fd = (int)_event.DangerousGetHandle(), events = Poll.POLLIN };

        // SAFETY: on the stack, used during the call only.
        return Poll.poll(both, 2, timeoutMilliseconds) != 0;
    }

    /// <summary>After the last wait.</summary>
    public void Dispose() => _event.Dispose();
}
