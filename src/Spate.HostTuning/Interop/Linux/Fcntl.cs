using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Spate.HostTuning.Interop.Linux;

/// <summary><c>fcntl.h</c>: opening what .NET does not open, such as a folder.</summary>
internal static partial class Fcntl
{
    public const int O_RDONLY = 0;
    public const int O_CLOEXEC = 0x80000;

    /// <summary>open(2). The handle is invalid where it fails.</summary>
    [LibraryImport("libc", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial SafeFileHandle open(string pathname, int flags);
}
