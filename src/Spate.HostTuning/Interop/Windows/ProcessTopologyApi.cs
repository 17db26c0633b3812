using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Spate.HostTuning.Interop.Windows;

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
