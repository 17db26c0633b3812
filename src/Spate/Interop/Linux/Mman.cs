using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary><c>sys/mman.h</c>: mapping memory.</summary>
internal static unsafe partial class Mman
{
    public const int PROT_READ = 0x1;
    public const int PROT_WRITE = 0x2;
    public const int MAP_SHARED = 0x01;
    public const int MAP_PRIVATE = 0x02;
    public const int MAP_ANONYMOUS = 0x20;
    public const int MAP_NORESERVE = 0x4000;
    public const int MAP_POPULATE = 0x8000;
    public const int MADV_DONTNEED = 4;
    public const int MADV_NOHUGEPAGE = 15;

    /// <summary>The result of a failed mmap.</summary>
    public static void* MAP_FAILED => (void*)-1;

    [LibraryImport("libc", SetLastError = true)]
    internal static partial void* mmap(void* addr, nuint length, int prot, int flags, int fd, nint offset);

    [LibraryImport("libc", SetLastError = true)]
    internal static partial int munmap(void* addr, nuint length);

    [LibraryImport("libc", SetLastError = true)]
    internal static partial int madvise(void* addr, nuint length, int advice);
}
