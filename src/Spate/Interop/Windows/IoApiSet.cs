using System.Runtime.InteropServices;

namespace Spate.Interop.Windows;

/// <summary><c>ioapiset.h</c>: completion ports.</summary>
internal static unsafe partial class IoApiSet
{
    /// <summary>INVALID_HANDLE_VALUE: the file for a call that makes a new port.</summary>
    public const nint InvalidHandleValue = -1;

    [LibraryImport("kernel32", SetLastError = true)]
    internal static partial nint CreateIoCompletionPort(nint file, nint port, nuint key, uint threadCount);

    [LibraryImport("kernel32", SetLastError = true)]
    internal static partial int GetQueuedCompletionStatusEx(
        nint port, OVERLAPPED_ENTRY* entries, uint count, uint* removedCount, uint milliseconds, int alertable);

    [LibraryImport("kernel32", SetLastError = true)]
    internal static partial int PostQueuedCompletionStatus(nint port, uint bytes, nuint key, OVERLAPPED* overlapped);

    [LibraryImport("kernel32", SetLastError = true)]
    internal static partial int CancelIoEx(nint file, OVERLAPPED* overlapped);
}
