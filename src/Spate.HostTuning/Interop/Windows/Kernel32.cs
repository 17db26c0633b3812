using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Spate.HostTuning.Interop.Windows;

/// <summary><c>minwindef.h</c>: a time in steps of 100 ns, as two halves.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct FILETIME
{
    public uint dwLowDateTime;
    public uint dwHighDateTime;
}

/// <summary><c>processthreadsapi.h</c>: threads.</summary>
internal static partial class ProcessThreadsApi
{
    /// <summary>The right to read times, cycles and the affinity of a thread (<c>winnt.h</c>).</summary>
    public const uint THREAD_QUERY_LIMITED_INFORMATION = 0x0800;

    [LibraryImport("kernel32")]
    internal static partial uint GetCurrentThreadId();

    /// <summary>OpenThread. The handle is invalid if the thread has ended or may not be opened.</summary>
    [LibraryImport("kernel32", SetLastError = true)]
    internal static partial SafeWaitHandle OpenThread(
        uint dwDesiredAccess, [MarshalAs(UnmanagedType.Bool)] bool bInheritHandle, uint dwThreadId);

    [LibraryImport("kernel32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    internal static partial bool GetThreadTimes(
        SafeWaitHandle hThread,
        out FILETIME lpCreationTime,
        out FILETIME lpExitTime,
        out FILETIME lpKernelTime,
        out FILETIME lpUserTime);
}

/// <summary><c>winnt.h</c>: processors of one group, which has at most 64. Reserved words follow the fields.</summary>
[StructLayout(LayoutKind.Sequential, Size = 16)]
internal struct GROUP_AFFINITY
{
    public nuint Mask;
    public ushort Group;
}

/// <summary><c>processtopologyapi.h</c>: where threads may run.</summary>
internal static partial class ProcessTopologyApi
{
    [LibraryImport("kernel32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    internal static partial bool GetThreadGroupAffinity(SafeWaitHandle hThread, out GROUP_AFFINITY GroupAffinity);
}

/// <summary><c>realtimeapiset.h</c>: what threads used, in cycles of the processor.</summary>
internal static partial class RealtimeApi
{
    [LibraryImport("kernel32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    internal static partial bool QueryThreadCycleTime(SafeWaitHandle ThreadHandle, out ulong CycleTime);
}

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
