using System.Runtime.InteropServices;

namespace Spate.Interop.Windows;

/// <summary>
/// <c>threadpoolapiset.h</c>: waits of the system's thread pool. A wait calls its function once for each
/// <see cref="SetThreadpoolWait"/>.
/// </summary>
internal static unsafe partial class ThreadPoolApiSet
{
    [LibraryImport("kernel32", SetLastError = true)]
    internal static partial nint CreateThreadpoolWait(
        delegate* unmanaged<nint, nint, nint, uint, void> function, nint context, void* environment);

    [LibraryImport("kernel32")]
    internal static partial void SetThreadpoolWait(nint wait, nint handle, void* timeout);

    /// <summary>Waits until no call of the function runs; cancels those that have not begun, if asked to.</summary>
    [LibraryImport("kernel32")]
    internal static partial void WaitForThreadpoolWaitCallbacks(nint wait, int cancelPending);

    [LibraryImport("kernel32")]
    internal static partial void CloseThreadpoolWait(nint wait);
}
