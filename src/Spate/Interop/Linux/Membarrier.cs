using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary><c>linux/membarrier.h</c>: membarrier(2), for which the C library has no function.</summary>
internal static partial class Membarrier
{
    public const int MEMBARRIER_CMD_GLOBAL = 1;

    /// <summary>
    /// The number of the system call. The number depends on the architecture, because the call is older than the
    /// numbers that all architectures share. Null for an architecture whose number is not known here.
    /// </summary>
    internal static int? SYS_membarrier => RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 324,
        Architecture.Arm64 => 283,
        _ => null,
    };

    [LibraryImport("libc", SetLastError = true, EntryPoint = "syscall")]
    internal static partial nint Call(nint number, nint command, nint flags, nint cpuIndex);
}
