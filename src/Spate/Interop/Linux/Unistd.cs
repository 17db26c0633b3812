using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary><c>unistd.h</c>: descriptors as such.</summary>
internal static unsafe partial class Unistd
{
    [LibraryImport("libc", SetLastError = true)]
    internal static partial nint read(int fd, void* buf, nuint count);

    [LibraryImport("libc", SetLastError = true)]
    internal static partial nint write(int fd, void* buf, nuint count);

    /// <summary>Never repeat it after EINTR: Linux has released the descriptor by then (close(2), NOTES).</summary>
    [LibraryImport("libc", SetLastError = true)]
    internal static partial int close(int fd);
}
