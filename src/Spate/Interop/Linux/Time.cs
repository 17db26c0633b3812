using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary><c>time.h</c>: seconds and nanoseconds, 64-bit layout, 16 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @timespec
{
    public long tv_sec;
    public long tv_nsec;
}

/// <summary><c>time.h</c>: clocks.</summary>
internal static class Time
{
    /// <summary>The clock of <see cref="System.Diagnostics.Stopwatch"/> on Linux, in nanoseconds.</summary>
    public const int CLOCK_MONOTONIC = 1;
}
