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
