using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// How several messages are sent by one call of the kernel. On 64-bit systems the <c>sendmmsg</c> of musl calls
/// <c>sendmsg</c> for each (src/network/sendmmsg.c), since the padding in its own <c>msghdr</c> may hold anything; what
/// is passed here has the kernel's layout. Elsewhere the C library's function is called, which a library that is
/// loaded before it may replace.
/// </summary>
internal static unsafe class SendManyCall
{
    // arch/x86/entry/syscalls/syscall_64.tbl; include/uapi/asm-generic/unistd.h for arm64, riscv64 and loongarch64.
    private const int NumberOfX64 = 307;
    private const int NumberOfOthers = 269;

    /// <summary>
    /// The number of the system call, where it is to be made directly; 0 for the function of the C library.
    /// </summary>
    private static readonly nint Number = NumberFor(HasGlibc(), RuntimeInformation.ProcessArchitecture);

    /// <summary>Sends the messages, as sendmmsg(2) does.</summary>
    // SAFETY: pointers are only passed on; the caller keeps what they point to until the call returns.
    public static int Call(int fd, mmsghdr* messages, uint count, int flags) => Number == 0
        ? SysSocket.sendmmsg(fd, messages, count, flags)
        : (int)Syscall.Call4(Number, fd, (nint)messages, (void*)(nuint)count, flags);

    /// <summary>Pure. The selection is made once, when the first socket sends.</summary>
    internal static nint NumberFor(bool hasGlibc, Architecture architecture) => hasGlibc ? 0 : architecture switch
    {
        Architecture.X64 => NumberOfX64,
        Architecture.Arm64 or Architecture.RiscV64 or Architecture.LoongArch64 => NumberOfOthers,
        _ => 0,
    };

    // gnu/libc-version.h: a function that glibc alone has.
    private static bool HasGlibc() =>
        NativeLibrary.TryLoad("libc", typeof(SendManyCall).Assembly, searchPath: null, out nint library)
        && NativeLibrary.TryGetExport(library, "gnu_get_libc_version", out _);
}
