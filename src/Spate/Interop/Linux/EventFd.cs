using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary><c>sys/eventfd.h</c>: a counter with a descriptor; a write to it wakes a poll.</summary>
internal static partial class EventFd
{
    public const int EFD_NONBLOCK = 0x800;
    public const int EFD_CLOEXEC = 0x80000;

    [LibraryImport("libc", SetLastError = true)]
    internal static partial int eventfd(uint initval, int flags);
}
