using Spate.Interop.Linux;

namespace Spate.Sockets.Uring;

/// <summary>
/// What ends a wait for a ring: a shutdown, which wakes other receives, does not complete a multishot one on an
/// unconnected socket. In a ring of one thread the kernel signals it too when there is work to be done
/// (IORING_REGISTER_EVENTFD): nothing else tells an epoll set of deferred work, as seen on Linux 6.18.
/// </summary>
internal sealed unsafe class WakeEvent : IDisposable
{
    private readonly WakeDescriptor _event = new();

    public int Descriptor => _event.Number;

    public void Set() => _event.Signal();

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
    public bool Take(int timeoutMilliseconds) => _event.Take(timeoutMilliseconds);

    /// <summary>After the last wait.</summary>
    public void Dispose() => _event.Dispose();
}
