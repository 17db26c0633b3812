using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Spate.Interop.Linux;

namespace Spate.Backends.Uring;

/// <summary>
/// What ends a wait for a ring: a shutdown, which wakes other receives, does not complete a multishot one on an
/// unconnected socket. In a ring of one thread the kernel signals it too when there is work to be done
/// (IORING_REGISTER_EVENTFD): nothing else tells an epoll set of deferred work, as seen on Linux 6.18.
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
        Unistd.write(Descriptor, &one, sizeof(ulong));
    }

    public int Descriptor => (int)_event.DangerousGetHandle();

    /// <summary>
    /// Waits for a ring of any threads, or until <see cref="Set"/>, which holds for every wait from then on. True if it
    /// is worth looking before the time (-1: for ever) is over; a signal counts as that.
    /// </summary>
    public bool WaitFor(int ringDescriptor, int timeoutMilliseconds)
    {
        pollfd* both = stackalloc pollfd[2];
        both[0] = new pollfd { fd = ringDescriptor, events = Poll.POLLIN };
        both[1] = new pollfd { fd = Descriptor, events = Poll.POLLIN };

        // SAFETY: on the stack, used during the call only.
        return Poll.poll(both, 2, timeoutMilliseconds) != 0;
    }

    /// <summary>Waits for what is signalled here alone, and takes the signal; the one thread.</summary>
    public bool Take(int timeoutMilliseconds)
    {
        pollfd entry = new() { fd = Descriptor, events = Poll.POLLIN };

        // SAFETY: both on the stack, used during the calls only.
        if (Poll.poll(&entry, 1, timeoutMilliseconds) == 0) return false;
        ulong count;
        Unistd.read(Descriptor, &count, sizeof(ulong));
        return true;
    }

    /// <summary>After the last wait.</summary>
    public void Dispose() => _event.Dispose();
}
