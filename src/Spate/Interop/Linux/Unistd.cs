using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary><c>unistd.h</c>: calls for descriptors of any kind.</summary>
internal static unsafe partial class Unistd
{
    [LibraryImport("libc", SetLastError = true)]
    internal static partial nint read(int fd, void* buf, nuint count);

    [LibraryImport("libc", SetLastError = true)]
    internal static partial nint write(int fd, void* buf, nuint count);

    /// <summary>
    /// Never repeat the call after EINTR: Linux has already released the descriptor then (close(2), NOTES).
    /// </summary>
    [LibraryImport("libc", SetLastError = true)]
    internal static partial int close(int fd);
}
