using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary>
/// <c>sys/epoll.h</c>: <c>struct epoll_event</c> as x64 has it, 12 bytes. The kernel packs it there only
/// (<c>__EPOLL_PACKED</c>), so that 32-bit programs share the layout.
/// </summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
internal struct epoll_event_packed
{
    public uint events;
    public ulong data;
}

/// <summary><c>sys/epoll.h</c>: <c>struct epoll_event</c> as every other 64-bit machine has it, 16 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct epoll_event_natural
{
    public uint events;
    public ulong data;
}

/// <summary>
/// <c>sys/epoll.h</c>: readiness of many descriptors. Events live in plain bytes, <see cref="EventBytes"/> each, and
/// are read and written through <see cref="Read"/> and <see cref="Write"/>, as their layout depends on the machine.
/// </summary>
internal static unsafe partial class Epoll
{
    public const int EPOLL_CLOEXEC = 0x80000;

    public const int EPOLL_CTL_ADD = 1;
    public const int EPOLL_CTL_DEL = 2;
    public const int EPOLL_CTL_MOD = 3;

    public const uint EPOLLIN = 0x1;
    public const uint EPOLLPRI = 0x2;
    public const uint EPOLLOUT = 0x4;
    public const uint EPOLLERR = 0x8;
    public const uint EPOLLHUP = 0x10;
    public const uint EPOLLRDHUP = 0x2000;
    public const uint EPOLLEXCLUSIVE = 1u << 28;
    public const uint EPOLLONESHOT = 1u << 30;
    public const uint EPOLLET = 1u << 31;

    /// <summary>Whether this machine packs <c>struct epoll_event</c>; the JIT folds it to a constant.</summary>
    internal static bool IsPacked => RuntimeInformation.ProcessArchitecture == Architecture.X64;

    /// <summary>Bytes of one event on this machine: 12 on x64, else 16.</summary>
    internal static int EventBytes => IsPacked ? sizeof(epoll_event_packed) : sizeof(epoll_event_natural);

    /// <summary>Writes event <paramref name="index"/> of a buffer of at least index + 1 events.</summary>
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

    /// <summary>Reads event <paramref name="index"/> of a buffer of at least index + 1 events.</summary>
    internal static (uint Events, ulong Data) Read(void* buffer, int index)
    {
        // SAFETY: as in Write.
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

    /// <summary><paramref name="epollEvent"/> is one event of <see cref="EventBytes"/> bytes (null for DEL).</summary>
    [LibraryImport("libc", SetLastError = true)]
    internal static partial int epoll_ctl(int epfd, int op, int fd, void* epollEvent);

    /// <summary><paramref name="events"/> holds maxevents * <see cref="EventBytes"/> bytes.</summary>
    [LibraryImport("libc", SetLastError = true)]
    internal static partial int epoll_wait(int epfd, void* events, int maxevents, int timeout);
}
