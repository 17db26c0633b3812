using Spate.Interop.Linux;

namespace Spate.Sockets.Uring;

/// <summary>
/// The event that ends a wait on a ring when the socket closes. A shutdown, which wakes the receives of other backends,
/// does not complete a multishot receive on an unconnected socket. In a ring of one thread, the kernel also signals
/// this event when there is work to do (IORING_REGISTER_EVENTFD). Nothing else notifies an epoll set of deferred work,
/// as seen on Linux 6.18.
/// </summary>
internal sealed unsafe class WakeEvent : IDisposable
{
    private readonly WakeDescriptor _event = new();

    public int Descriptor => _event.Number;

    public void Set() => _event.Signal();

    /// <summary>
    /// Waits on a ring that any thread may use, until the ring is readable or <see cref="Set"/> was called; Set ends
    /// every wait from then on. Returns false at the timeout (-1 waits forever), and true if the caller should try to
    /// receive, also after a system signal.
    /// </summary>
    public bool WaitFor(int ringDescriptor, int timeoutMilliseconds)
    {
        pollfd* both = stackalloc pollfd[2];
        both[0] = new pollfd { fd = ringDescriptor, events = Poll.POLLIN };
        both[1] = new pollfd { fd = Descriptor, events = Poll.POLLIN };

        // SAFETY: the array is on the stack and used during the call only.
        return Poll.poll(both, 2, timeoutMilliseconds) != 0;
    }

    /// <summary>
    /// Waits for this event alone, and resets it. Called only by the owner of a ring of one thread. Returns false at
    /// the timeout.
    /// </summary>
    public bool Take(int timeoutMilliseconds) => _event.Take(timeoutMilliseconds);

    /// <summary>Closes the event; called after the last wait.</summary>
    public void Dispose() => _event.Dispose();
}
