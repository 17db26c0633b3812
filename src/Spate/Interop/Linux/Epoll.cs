using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary>
/// <c>sys/epoll.h</c>: <c>struct epoll_event</c> on x64, 12 bytes. The kernel packs the struct only on x64
/// (<c>__EPOLL_PACKED</c>), so that 32-bit programs have the same layout.
/// </summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
internal struct epoll_event_packed
{
    public uint events;
    public ulong data;
}

/// <summary><c>sys/epoll.h</c>: <c>struct epoll_event</c> on every other 64-bit machine, 16 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct epoll_event_natural
{
    public uint events;
    public ulong data;
}

/// <summary>
/// <c>sys/epoll.h</c>: waits until one of many descriptors is ready. The layout of an event depends on the machine. So
/// a buffer of events is plain bytes, <see cref="EventBytes"/> per event; use <see cref="Read"/> and
/// <see cref="Write"/> for it.
/// </summary>
internal static unsafe partial class Epoll
{
    public const int EPOLL_CLOEXEC = 0x80000;

    public const int EPOLL_CTL_ADD = 1;
    public const int EPOLL_CTL_DEL = 2;
    public const int EPOLL_CTL_MOD = 3;

    public const uint EPOLLIN = 0x1;
    public const uint EPOLLOUT = 0x4;
    public const uint EPOLLERR = 0x8;
    public const uint EPOLLHUP = 0x10;
    public const uint EPOLLRDHUP = 0x2000;
    public const uint EPOLLEXCLUSIVE = 1u << 28;
    public const uint EPOLLONESHOT = 1u << 30;
    public const uint EPOLLET = 1u << 31;

    /// <summary>
    /// Whether this machine packs <c>struct epoll_event</c>. The JIT compiler makes a constant of the property.
    /// </summary>
    internal static bool IsPacked => RuntimeInformation.ProcessArchitecture == Architecture.X64;

    /// <summary>The number of bytes of one event on this machine: 12 on x64, otherwise 16.</summary>
    internal static int EventBytes => IsPacked ? sizeof(epoll_event_packed) : sizeof(epoll_event_natural);

    /// <summary>
    /// Writes the event at <paramref name="index"/>. The buffer has room for at least index + 1 events.
    /// </summary>
    internal static void Write(void* buffer, int index, uint events, ulong data)
    {
        // SAFETY: the caller owns (index + 1) * EventBytes bytes at buffer. On x64 no alignment is needed; elsewhere
        // the 16-byte stride keeps the alignment that the buffer starts with.
        if (IsPacked)
        {
            ((epoll_event_packed*)buffer)[index] = new epoll_event_packed { events = events, data = data };
        }
        else
        {
            ((epoll_event_natural*)buffer)[index] = new epoll_event_natural { events = events, data = data };
        }
    }

    /// <summary>Reads the event at <paramref name="index"/>. The buffer contains at least index + 1 events.</summary>
    internal static (uint Events, ulong Data) Read(void* buffer, int index)
    {
        // SAFETY: the caller owns (index + 1) * EventBytes bytes at buffer. The alignment is right, as explained in
        // Write.
        if (IsPacked)
        {
            epoll_event_packed* packed = (epoll_event_packed*)buffer + index;
            return (packed->events, packed->data);
        }
        epoll_event_natural* natural = (epoll_event_natural*)buffer + index;
        return (natural->events, natural->data);
    }

    [LibraryImport("libc", SetLastError = true)]
    internal static partial int epoll_create1(int flags);

    /// <summary>
    /// <paramref name="epollEvent"/> points to one event, <see cref="EventBytes"/> bytes; null for EPOLL_CTL_DEL.
    /// </summary>
    [LibraryImport("libc", SetLastError = true)]
    internal static partial int epoll_ctl(int epfd, int op, int fd, void* epollEvent);

    /// <summary>
    /// <paramref name="events"/> points to room for maxevents events: maxevents * <see cref="EventBytes"/> bytes.
    /// </summary>
    [LibraryImport("libc", SetLastError = true)]
    internal static partial int epoll_wait(int epfd, void* events, int maxevents, int timeout);
}
