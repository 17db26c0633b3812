using System.Runtime.InteropServices;

namespace Spate.HostTuning.Interop.Windows;

/// <summary><c>psapi.h</c>: the memory of a process.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct PROCESS_MEMORY_COUNTERS
{
    public uint cb;
    public uint PageFaultCount;
    public nuint PeakWorkingSetSize;
    public nuint WorkingSetSize;
    public nuint QuotaPeakPagedPoolUsage;
    public nuint QuotaPagedPoolUsage;
    public nuint QuotaPeakNonPagedPoolUsage;
    public nuint QuotaNonPagedPoolUsage;
    public nuint PagefileUsage;
    public nuint PeakPagefileUsage;
}

/// <summary><c>psapi.h</c>: memory of processes.</summary>
internal static partial class Psapi
{
    /// <summary>The pseudo handle of this process, which GetCurrentProcess returns.</summary>
    public const nint CurrentProcess = -1;

    /// <summary>GetProcessMemoryInfo, by the name that kernel32 has exported since Windows 7.</summary>
    [LibraryImport("kernel32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    internal static partial bool K32GetProcessMemoryInfo(
        nint Process, out PROCESS_MEMORY_COUNTERS ppsmemCounters, uint cb);
}
