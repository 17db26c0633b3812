using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Spate.Measurement;

/// <summary>How much memory the process holds.</summary>
/// <param name="ResidentBytes">Memory in RAM now.</param>
/// <param name="ResidentPeakBytes">The most that was ever in RAM.</param>
[StructLayout(LayoutKind.Auto)]
public readonly record struct MemoryUsage(long ResidentBytes, long ResidentPeakBytes)
{
    private const int FileBytesMost = 4096;
    private const int BytesPerKilobyte = 1024;

    /// <summary>
    /// Reads both. Linux: VmRSS and VmHWM of /proc/self/status, which the kernel sums up with an error of some pages
    /// per thread (proc_pid_status(5)). Elsewhere: the working set and its peak.
    /// </summary>
    public static MemoryUsage Read()
    {
        Span<byte> buffer = stackalloc byte[FileBytesMost];
        using var file = ProcFile.TryOpen("/proc/self/status");
        ReadOnlySpan<byte> status = ProcFile.Read(file, buffer);
        if (ProcFile.NumberAfter(status, "VmRSS:"u8) is long resident
            && ProcFile.NumberAfter(status, "VmHWM:"u8) is long peak)
        {
            return new MemoryUsage(resident * BytesPerKilobyte, peak * BytesPerKilobyte);
        }

        using var process = Process.GetCurrentProcess();
        return new MemoryUsage(process.WorkingSet64, process.PeakWorkingSet64);
    }
}
