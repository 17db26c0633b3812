using System.Runtime.InteropServices;

namespace Spate.Interop.Windows;

/// <summary><c>synchapi.h</c>: events.</summary>
internal static unsafe partial class SynchApi
{
    [LibraryImport("kernel32", SetLastError = true)]
    internal static partial nint CreateEventW(void* attributes, int manualReset, int initialState, void* name);

    [LibraryImport("kernel32", SetLastError = true)]
    internal static partial int SetEvent(nint handle);

    [LibraryImport("kernel32", SetLastError = true)]
    internal static partial uint WaitForSingleObject(nint handle, uint milliseconds);
}
