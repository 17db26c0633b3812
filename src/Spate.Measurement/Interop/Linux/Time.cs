using System.Runtime.InteropServices;

namespace Spate.Measurement.Interop.Linux;

/// <summary><c>time.h</c>: seconds and nanoseconds, 64-bit layout, 16 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @timespec
{
    public long tv_sec;
    public long tv_nsec;
}

/// <summary><c>time.h</c>: sleeping until a moment.</summary>
internal static partial class Time
{
    /// <summary>The clock of <see cref="TimeProvider.System"/>'s time stamps on Linux.</summary>
    public const int CLOCK_MONOTONIC = 1;

    public const int TIMER_ABSTIME = 1;

    /// <summary>clock_nanosleep(2). It returns the error number, or 0; errno is not set.</summary>
    [LibraryImport("libc")]
    internal static partial int clock_nanosleep(int clockid, int flags, in timespec t, nint remain);
}

/// <summary><c>sys/prctl.h</c>: settings of the calling thread.</summary>
internal static partial class Prctl
{
    public const int PR_SET_TIMERSLACK = 29;
    public const int PR_GET_TIMERSLACK = 30;

    /// <summary>prctl(2). On Linux the variable arguments of the C function are passed as those of others.</summary>
    [LibraryImport("libc", SetLastError = true)]
    internal static partial int prctl(int op, nuint arg2, nuint arg3, nuint arg4, nuint arg5);
}
