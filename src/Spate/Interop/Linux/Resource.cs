using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary>
/// <c>sys/resource.h</c>: a limit, and the maximum to which it may be raised, 16 bytes on 64-bit machines.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @rlimit
{
    public ulong rlim_cur;
    public ulong rlim_max;
}

/// <summary><c>sys/resource.h</c>: resource limits of a process.</summary>
internal static partial class Resource
{
    public const int RLIMIT_NOFILE = 7;

    [LibraryImport("libc", SetLastError = true)]
    internal static partial int getrlimit(int resource, ref rlimit rlim);
}
