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
