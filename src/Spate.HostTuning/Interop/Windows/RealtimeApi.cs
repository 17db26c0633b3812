using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Spate.HostTuning.Interop.Windows;

/// <summary><c>realtimeapiset.h</c>: what threads used, in cycles of the processor.</summary>
internal static partial class RealtimeApi
{
    [LibraryImport("kernel32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    internal static partial bool QueryThreadCycleTime(SafeWaitHandle ThreadHandle, out ulong CycleTime);
}
