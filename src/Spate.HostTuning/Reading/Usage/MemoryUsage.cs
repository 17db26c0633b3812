using System.Diagnostics;
using System.Runtime.InteropServices;
using Spate.HostTuning.Interop.Windows;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Usage;

/// <summary>
/// <c>LockedBytes</c>: locked or pinned (VmLck and VmPin, proc_pid_status(5)); null where unknown. Rings of io_uring
/// are pinned up to Linux 5.11, then charged to the control group.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct MemoryUsage(long ResidentBytes, long ResidentPeakBytes, long? LockedBytes)
{
    private const int MaxFileBytes = 8192;
    private const int BytesPerKilobyte = 1024;

    /// <summary>
    /// The kernel's for the process (QuotaNonPagedPoolUsage): sockets, requests, registered buffers. Windows only; null
    /// elsewhere, and where Windows answers 0.
    /// </summary>
    public long? NonPagedPoolBytes { get; init; }

    /// <summary>
    /// Linux: VmRSS and VmHWM have an error of some pages per thread (proc_pid_status(5)). Windows:
    /// GetProcessMemoryInfo, without locked memory.
    /// </summary>
    public static MemoryUsage Read(string rootPath = "/")
    {
        Span<byte> buffer = stackalloc byte[MaxFileBytes];
        using HostFile file = new HostFiles(rootPath).Open("proc/self/status");
        ReadOnlySpan<byte> status = file.Read(buffer);
        long? locked = FileText.NumberAfter(status, "VmLck:"u8);
        long? lockedBytes = (locked + (FileText.NumberAfter(status, "VmPin:"u8) ?? 0)) * BytesPerKilobyte;
        if (FileText.NumberAfter(status, "VmRSS:"u8) is long resident
            && FileText.NumberAfter(status, "VmHWM:"u8) is long peak)
        {
            return new MemoryUsage(resident * BytesPerKilobyte, peak * BytesPerKilobyte, lockedBytes);
        }

        if (OperatingSystem.IsWindows() && ReadWindows() is { } usage) return usage;

        using var process = Process.GetCurrentProcess();
        return new MemoryUsage(process.WorkingSet64, process.PeakWorkingSet64, lockedBytes);
    }

    /// <summary>The soft limit RLIMIT_MEMLOCK; null for no limit or if unknown.</summary>
    public static long? ReadLockedLimitBytes(string rootPath = "/")
    {
        Span<byte> buffer = stackalloc byte[MaxFileBytes];
        using HostFile file = new HostFiles(rootPath).Open("proc/self/limits");
        return FileText.NumberAfter(file.Read(buffer), "Max locked memory"u8);
    }

    private static MemoryUsage? ReadWindows()
    {
        uint size = (uint)Marshal.SizeOf<PROCESS_MEMORY_COUNTERS>();
        if (!Psapi.K32GetProcessMemoryInfo(Psapi.CurrentProcess, out PROCESS_MEMORY_COUNTERS counters, size))
        {
            return null;
        }

        long nonPaged = (long)counters.QuotaNonPagedPoolUsage;
        return new MemoryUsage((long)counters.WorkingSetSize, (long)counters.PeakWorkingSetSize, LockedBytes: null)
        {
            NonPagedPoolBytes = nonPaged > 0 ? nonPaged : null,
        };
    }
}
