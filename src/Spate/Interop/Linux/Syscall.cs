using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary>
/// <c>sys/syscall.h</c>: system calls for which the C library has no function. These numbers are the same on every
/// architecture, like all numbers from 424 on.
/// </summary>
internal static unsafe partial class Syscall
{
    public const int SYS_io_uring_setup = 425;
    public const int SYS_io_uring_enter = 426;
    public const int SYS_io_uring_register = 427;

    [LibraryImport("libc", SetLastError = true, EntryPoint = "syscall")]
    internal static partial nint Call2(nint number, nint first, void* second);

    [LibraryImport("libc", SetLastError = true, EntryPoint = "syscall")]
    internal static partial nint Call4(nint number, nint first, nint second, void* third, nint fourth);

    [LibraryImport("libc", SetLastError = true, EntryPoint = "syscall")]
    internal static partial nint Call6(
        nint number, nint first, nint second, nint third, nint fourth, void* fifth, nint sixth);
}
